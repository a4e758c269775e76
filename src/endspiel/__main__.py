"""``python -m endspiel`` is the command ``endspiel``."""

from endspiel.cli import main

main()
