"""Who asks and what they may see. Every other part takes the Scope made here; none makes its own."""
