"""Search: lexical and dense inside a scope, fused. Nothing outside the scope is scored or counted."""
