"""The inner loops: ``reference`` (plain NumPy, to be read) and ``cpu`` (C++, to be run)."""
