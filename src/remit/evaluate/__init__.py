"""The lab: systems run over cases, scored, compared and reported."""
