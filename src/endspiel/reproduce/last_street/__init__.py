"""The last street of a game alone, all its boards side by side: flop hold'em's endgames.

boards    the running solve's contract, and the board kernels' solve; streams that of op streams
cuda      the machine of op streams on a GPU
batched   the backend of a betting round whose last street one of them solves
"""
