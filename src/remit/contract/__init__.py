"""What is owed: the question, its required facts and parameters, and what may be spent on it."""
