"""The CUDA side: kernels, compiled when they are first needed, and the machine that runs them."""
