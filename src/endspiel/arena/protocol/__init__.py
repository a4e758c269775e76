"""How agents are spoken to, and what is written down: the ACPC protocol, logs, PHH files."""
