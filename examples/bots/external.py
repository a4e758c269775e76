"""A program that plays by the protocol of the annual competition: it checks and calls.

endspiel match blueprint "acpc:python examples/bots/external.py" --hands 100 --aivat
"""

import socket
import sys

with socket.create_connection((sys.argv[1], int(sys.argv[2]))) as server:
    lines = server.makefile("rw", newline="\r\n")
    print("VERSION:2.0.0", file=lines, flush=True)
    for line in lines:  # MATCHSTATE:POSITION:HAND:BETTING:CARDS
        state = line.strip()
        _, position, _, betting, cards = state.split(":")
        rounds = betting.split("/")
        over = betting.endswith("f") or all(cards.split("/")[0].split("|"))
        first = 1 if len(rounds) == 1 else 0  # position 1 begins before the flop, 0 after it
        moves = sum(letter in "crf" for letter in rounds[-1])
        if not over and (first + moves) % 2 == int(position):
            print(f"{state}:c", file=lines, flush=True)
