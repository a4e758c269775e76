"""What a strategy is worth: AIVAT, duplicate pairs, endgames compared, best responses."""
