"""Questions whose right outcome is known, and where they come from."""
