"""The last verification before anything is handed out, and the words of each outcome."""
