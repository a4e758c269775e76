"""The inner loops: ``reference`` (plain NumPy, to be read) and ``cpu`` (Numba, to be run)."""
