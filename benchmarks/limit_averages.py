"""What responders of a training by CFR-BR win of its averages: of all iterations, and of late ones.

    python benchmarks/limit_averages.py CARDS.abs TRUNK.abs CHECKPOINT [EARLIER ...] --boards 36

CHECKPOINT and EARLIER are files of `endspiel train --method cfr-br --resume`, EARLIER copied on
the way: what it had summed up is taken off the average. On fresh turns, the same for all, with
every river, the responders answer turn and river exactly and play before by what they had learned.
A board and an average are half a second of a core.
"""

import argparse
import json

import numpy as np

from endspiel import files
from endspiel.abstraction.abstraction import load_abstraction
from endspiel.betting.limit import limit_tree
from endspiel.blueprint.cfr_br_boards import SomeTurns, TurnTable
from endspiel.blueprint.cfr_br_walk import ResponseGame, ResponseRows, ResponseWalker
from endspiel.blueprint.sampled_boards import FlopDealer
from endspiel.engine.run import KIND
from endspiel.rules.builtin import load_rules


def averages(newest: str, earlier: list[str]) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Rows by name: current, average, and averages from an iteration on; the responders' rows."""
    _, arrays = files.load(newest, KIND)
    found = {"current": np.maximum(arrays["regret"], 0), "from 1": arrays["average"]}
    for file in earlier:
        _, before = files.load(file, KIND)
        late = np.maximum(arrays["average"] - before["average"], 0)
        found[f"from {int(before['iteration'][0]) + 1}"] = late
    scale = np.float32(arrays["weight"][0])
    return {name: rows / scale for name, rows in found.items()}, arrays["trunk"]


def winnings(walker: ResponseWalker, rows: ResponseRows, board: list[int]) -> float:
    """What both responders win on a turn, in mbb a hand, their mean."""
    table = walker.game.table
    deal, won = table.deal(board, walker.kept), 0.0
    for player in (0, 1):
        walker.enter(player, deal, 1.0, rows)
        won += walker.respond(1 - player, deal, rows)
    return won / 2 / (table.num_hands(2) * 46 * 45 / 2) * 1000


def main() -> None:
    """Print one line a strategy."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cards")
    parser.add_argument("trunk")
    parser.add_argument("checkpoint")
    parser.add_argument("earlier", nargs="*")
    parser.add_argument("--boards", type=int, default=36)
    parser.add_argument("--seed", type=int, default=99)
    given = parser.parse_args()
    own, trunk = load_abstraction(given.cards), load_abstraction(given.trunk)
    game, dealer = load_rules("limit-holdem"), FlopDealer.of(own.boards)
    table = TurnTable(own, trunk)
    walker = ResponseWalker(
        ResponseGame(limit_tree(game), table, SomeTurns(dealer), game.big_blind)
    )
    found, known = averages(given.checkpoint, given.earlier)
    boards = dealer.deal(np.random.default_rng(given.seed), given.boards)[:, :4].tolist()
    rows = ResponseRows.of(walker.plan, walker.trunk_plan)
    rows.trunk[:] = known
    won = {}
    for name, own_rows in found.items():
        rows.regret[:] = own_rows
        won[name] = np.array([winnings(walker, rows, board) for board in boards])
    for name, each in won.items():
        less, root = each - won["from 1"], np.sqrt(len(each))
        figures = {"mbb": each.mean(), "error": each.std() / root}
        figures |= {"more": less.mean(), "more_error": less.std() / root}
        named = {key: round(float(figure), 2) for key, figure in figures.items()}
        print(json.dumps({"average": name} | named), flush=True)


if __name__ == "__main__":
    main()
