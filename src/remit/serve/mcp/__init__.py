"""The service as an MCP server: over stdio for one principal, over HTTP for whoever the bearer proves."""
