"""Many spots at once, and reports over many boards."""
