"""Documents with owners, permissions and revisions; everything here is read through a Scope."""
