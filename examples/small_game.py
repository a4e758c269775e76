"""Solve Leduc exactly and by discounted CFR, and compare."""

import endspiel as es

game = es.games.leduc()
exact = es.solve(game, method="lp")
print(f"linear program: value {exact.value:.10f}, exploitability {exact.exploitability:.1e}")
iterated = es.solve(game, method="dcfr", target=1e-3)
print(f"{iterated.iterations} iterations: value {iterated.value:.4f}")
print(f"exploitability {es.exploitability(game, iterated.profile).mean:.1e}")
