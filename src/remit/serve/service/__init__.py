"""What the service does for a caller, whatever face asks: HTTP, pages or MCP."""
