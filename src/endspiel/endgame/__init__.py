"""Endgames: `safe` (cut out, solved again, put back), `river` (solved exactly); `solve` is the
front door of everything."""
