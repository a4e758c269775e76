"""`endspiel upi`: the scripting protocol of PioSOLVER on standard input and output."""

import io
import sys

from endspiel.cli.output import JsonOption, write_json


def upi(json: JsonOption = None) -> None:
    """Run scripts in PioSOLVER's protocol (UPI).

    Scripts give trees by lines of bets, by bet sizes or by a spot file. Solves run in the
    background. Scripts then ask for strategies, ranges, EVs and equities of all 1326 hands.
    docs/scripting.md lists the commands.
    """
    from endspiel.upi import open_session

    def write(text: str) -> None:
        print(text, flush=True)

    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")  # no byte ends a session
    session = open_session(write)
    session.run(sys.stdin)
    write_json(json, {"commands": session.commands, "errors": session.errors})
