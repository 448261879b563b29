"""Questions whose right outcome is known, where they come from, and how they are built from any corpus."""
