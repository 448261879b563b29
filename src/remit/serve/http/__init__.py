"""The service over HTTP: a table of endpoints, each with who may call it, and what is common to them all."""
