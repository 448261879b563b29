"""Six decisions, the operating point and the rules: pure."""
