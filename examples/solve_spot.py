"""Solve a turn spot and ask what to do with a hand, on the turn and on a river card."""

from pathlib import Path

import endspiel as es

spot = es.load_spot(Path(__file__).parent / "turn.toml")
solution = es.solve(spot, target=0.005)  # share of the pot
print(f"{solution.iterations} iterations, exploitability {solution.exploitability:.4f} of the pot")

for node, hand in (("", "KhQh"), ("c b100", "KhQh"), ("c b100 c / 8h", "KhQh"), ("c", "QQ")):
    actions = ", ".join(f"{word} {p:.2f}" for word, p in solution.strategy(node, hand).items())
    ev, equity = solution.ev(node, hand), solution.equity(node, hand)
    print(f"{hand} after {node!r}: {actions}; EV {ev:.1f}, equity {equity:.3f}")
