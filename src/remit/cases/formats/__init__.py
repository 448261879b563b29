"""One file a published format. They stand here, below training and evaluation, because both read the same questions."""
