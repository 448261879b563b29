"""Published systems on equal terms, one file a paper: they differ in what they decide, and in nothing else."""
