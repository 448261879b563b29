"""The pages: rendered here, escaped by default, no script at all."""
