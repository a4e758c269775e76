"""The study page in a real browser."""
