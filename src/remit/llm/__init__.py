"""Ports to models, small enough to implement in ten lines: chat and embed, and scripted ones for tests."""
