"""Numbers about texts and rankings, each checked against someone else's."""
