"""Who asks over a network: bearer tokens to callers. Nothing about identity is taken from a body."""
