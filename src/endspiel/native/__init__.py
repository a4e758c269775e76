"""Compiled kernels: C++ in `core/`, built by `build`, loaded by `library`, called with checks.

No kernel allocates memory that outlives its call, and none checks an index: `boundary` checks the
arrays, and the modules that call kernels know what the arrays hold.
"""
