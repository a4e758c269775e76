"""Many endgames on real cards side by side: compiled to op streams, run by NumPy or a GPU."""
