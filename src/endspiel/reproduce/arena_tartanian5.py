"""Tartanian5's own experiments (2012) once more: abstractions and post-processing, head to head.

The paper chose its card abstraction by playing 8-12-4-4 against 8-4-3-3 and 12-25-6-6, and full
purification by playing it against thresholding at 0.15. It reports the winner, not the margin. Here
each pair plays duplicate deals, estimated by AIVAT. The paper does not say whether its three agents
were purified when they met, so ours meet both as they were trained and purified.
"""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from endspiel.blueprint.blueprint import Blueprint, load_blueprint
from endspiel.reproduce.arena_play import Matches, Player, blueprint_player, recorded, row_of, span

READINGS: Final = ("none", "purify")  # in which abstractions meet
PAPER: Final = {
    "coarse": "8-12-4-4 (exploitable by 0.55 bb inside its abstraction) beat 8-4-3-3 (0.13)",
    "fine": "8-12-4-4 (exploitable by 0.55 bb inside its abstraction) beat 12-25-6-6 (0.8)",
    "post": "purified beat thresholded at 0.15 (Tartanian4, in 2010)",
}
# Abstractions whose strategies do not come along, and how closely ours were solved, in big blinds.
OTHERS: Final = {"coarse": ("8-4-3-3", 0.002), "fine": ("12-25-6-6", 0.006)}
Row = dict[str, Any]


class Contest(NamedTuple):
    """Two agents that meet, and what the paper says of it."""

    what: str  # a key of PAPER
    players: tuple[Player, Player]
    files: tuple[str | None, str | None]  # None is the strategy that comes with the package


def contests(file: str | None, coarse: str | None, fine: str | None) -> Iterator[Contest]:
    """Who meets whom, as far as there are files of other abstractions."""
    for what, other in (("coarse", coarse), ("fine", fine)):
        for post in READINGS if other else ():
            players = blueprint_player("none", post, file), blueprint_player("none", post, other)
            yield Contest(what, _named(players, (file, other), post), (file, other))
    pair = blueprint_player("none", "purify", file), blueprint_player("none", "threshold", file)
    yield Contest("post", pair, (file, file))


def missing(coarse: str | None, fine: str | None) -> list[Row]:
    """The contests that cannot be played, the option that wants a file, commands that make it."""
    return [
        {
            "contest": what,
            "abstraction": name,
            "option": f"--{what}",
            "commands": [
                f"endspiel abstract --branching {name} --out {name}.es",
                f"endspiel train --abstraction {name}.es --target {target} --out {name}.blueprint",
            ],
            "paper": PAPER[what],
        }
        for (what, (name, target)), file in zip(OTHERS.items(), (coarse, fine), strict=True)
        if file is None
    ]


def head_to_head(matches: Matches, hands: int, contest: Contest) -> Row:
    """One row: the result as chips were won and by AIVAT, beside the paper's words."""
    a, b = contest.players
    played = matches.play(a, b, hands, aivat=True)
    read = [load_blueprint(file) for file in contest.files]
    return row_of(a, b, played) | {
        "contest": contest.what,
        "abstractions": [_name(blueprint) for blueprint in read],
        "exploitability": [blueprint.training.get("exploitability") for blueprint in read],  # bb
        "aivat": recorded(played.result.main),
        "paper": PAPER[contest.what],
    }


def lines(rows: list[Row]) -> Iterator[str]:
    """The rows for people, each under the paper's words on it."""
    yield "Tartanian5's experiments, by AIVAT (the paper reports the winner, not the margin)"
    said = None
    for row in rows:
        if row["paper"] != said:
            said = row["paper"]
            yield f"paper: {said}"
        inside = " and ".join(
            f"{name} {'unknown' if lost is None else f'{lost:.4f} bb'}"
            for name, lost in zip(row["abstractions"], row["exploitability"], strict=True)
        )
        yield (
            f"  {row['agent']} against {row['opponent']}: {span(row['aivat'])}, "
            f"{row['hands']:,} hands (exploitable inside its abstraction: {inside})"
        )


def missing_lines(rows: list[Row]) -> Iterator[str]:
    """The contests that were not played, for people."""
    for row in rows:
        yield f"not played: {row['paper']}"
        yield (
            f"  there is no strategy of {row['abstraction']}: name its file with {row['option']}; "
            + " and ".join(f"`{command}`" for command in row["commands"])
            + " make it"
        )


def _named(
    players: tuple[Player, Player], files: tuple[str | None, str | None], post: str
) -> tuple[Player, Player]:
    """Players called by their abstractions."""
    a, b = (
        Player(f"{_name(load_blueprint(file))}-{post}", player.spec)
        for player, file in zip(players, files, strict=True)
    )
    return a, b


def _name(blueprint: Blueprint) -> str:
    """An abstraction as the paper writes it: ``8-12-4-4``."""
    return "-".join(map(str, blueprint.record["abstraction"]["plan"]["branching"]))
