"""Which passages reach the answerer, in which order, and how many."""
