"""What was decided and why: the trace, the append-only journal, replay."""
