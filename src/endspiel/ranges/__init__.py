"""What players may hold after what they did: reach and range along a line, joint distributions."""
