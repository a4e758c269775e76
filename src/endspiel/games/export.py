"""Strategies out of and into a game's own words: JSON, CSV, OpenSpiel's TabularPolicy.

Files name infosets and actions as the game's labels do. Numbers are written so that reading them
back gives the same bits.
"""

import csv
import io
import math
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from endspiel.errors import EndspielError, FileError, GameError
from endspiel.game import Game, Profile
from endspiel.games.openspiel import action_names, import_pyspiel
from endspiel.kernels.arrays import Floats
from endspiel.reading import read_text

PlayerTable = dict[str, dict[str, float]]  # infoset to action to probability
Table = tuple[PlayerTable, PlayerTable]

COLUMNS = ["player", "infoset", "action", "probability"]
FORMAT = "endspiel-strategy"
INFOSET_TOLERANCE = 1e-6  # how far the probabilities of an infoset may be from one


class _Document(msgspec.Struct):
    """A strategy as one JSON object."""

    format: str
    game: str
    players: Table


def strategy_table(game: Game, profile: Profile) -> Table:
    """Both players' probabilities, by infoset and action."""
    return _player_table(game, profile, 0), _player_table(game, profile, 1)


def _player_table(game: Game, profile: Profile, player: int) -> PlayerTable:
    table: PlayerTable = {}
    for infoset, actions in _sequences(game, player).items():
        table[infoset] = {}
        for action, sequences in actions.items():
            probabilities = profile.behavior[player][sequences]
            if (probabilities != probabilities[0]).any():
                raise GameError(
                    f"player {player}'s infoset {infoset!r} plays {action!r} with different "
                    "probabilities after different own moves, which a table cannot hold"
                )
            table[infoset][action] = float(probabilities[0])
    return table


def profile_from_table(game: Game, table: Table, source: str = "the table") -> Profile:
    """The profile of a table, which must name the infosets and actions that the game has."""
    return Profile((_behavior(game, table, 0, source), _behavior(game, table, 1, source)))


def _behavior(game: Game, table: Table, player: int, source: str) -> Floats:
    expected = _sequences(game, player)
    behavior = np.ones(game.plexes[player].num_sequences)
    for infoset, actions in expected.items():
        where = f"player {player}'s infoset {infoset!r}"
        given = table[player].get(infoset)
        if given is None:
            raise GameError(f"{source} has no strategy for {where} of {game.name}")
        if given.keys() != actions.keys():
            raise GameError(
                f"{source} gives {where} actions {list(given)}, in {game.name} it has "
                f"{list(actions)}"
            )
        total = sum(given.values())
        if not (min(given.values()) >= 0 and abs(total - 1) <= INFOSET_TOLERANCE):
            raise GameError(
                f"{source} gives {where} probabilities that are negative or sum to {total!r}"
            )
        for action, sequences in actions.items():
            behavior[sequences] = given[action]
    for infoset in table[player].keys() - expected.keys():
        raise GameError(
            f"{source} has a strategy for player {player}'s infoset {infoset!r}, "
            f"which {game.name} does not have"
        )
    return behavior


def _sequences(game: Game, player: int) -> dict[str, dict[str, list[int]]]:
    """The player's sequences behind each infoset and action: several where rows are shared."""
    if game.labels is None:
        raise GameError(f"{game.name} has no names of infosets to write or read a strategy by")
    found: dict[str, dict[str, list[int]]] = {}
    for infoset, action, sequence in game.labels[player].walk(game.plexes[player]):
        found.setdefault(infoset, {}).setdefault(action, []).append(sequence)
    return found


def to_json(game: Game, profile: Profile) -> str:
    """The strategy as JSON text."""
    document = _Document(FORMAT, game.name, strategy_table(game, profile))
    return msgspec.json.format(msgspec.json.encode(document), indent=1).decode() + "\n"


def from_json(text: str, game: Game, source: str = "the JSON text") -> Profile:
    """The profile that `to_json` wrote."""
    try:
        document = msgspec.json.decode(text, type=_Document)
    except (msgspec.MsgspecError, RecursionError, UnicodeError) as error:
        raise FileError(f"{source} is not a strategy in JSON: {error}") from error
    if document.format != FORMAT:
        raise FileError(f"{source} has format {document.format!r}, not {FORMAT!r}")
    return profile_from_table(game, document.players, source)


def to_csv(game: Game, profile: Profile) -> str:
    """The strategy as CSV text: player, infoset, action, probability."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for player, table in enumerate(strategy_table(game, profile)):
        for infoset, actions in table.items():
            writer.writerows([player, infoset, action, p] for action, p in actions.items())
    return out.getvalue()


def from_csv(text: str, game: Game, source: str = "the CSV text") -> Profile:
    """The profile that `to_csv` wrote; rows may come in any order."""
    reader = csv.reader(io.StringIO(text, newline=""))
    table: Table = ({}, {})
    try:
        if next(reader, None) != COLUMNS:
            raise FileError(f"{source} does not begin with the columns {','.join(COLUMNS)}")
        for row in reader:
            if row:
                _add_row(table, row, f"{source}, line {reader.line_num}")
    except csv.Error as error:
        raise FileError(f"{source}, line {reader.line_num}: {error}") from error
    return profile_from_table(game, table, source)


def _add_row(table: Table, row: list[str], where: str) -> None:
    if len(row) != len(COLUMNS):
        raise FileError(f"{where}: {len(row)} fields instead of {len(COLUMNS)}")
    player, infoset, action, text = row
    if player not in ("0", "1"):
        raise FileError(f"{where}: player {player!r} is neither 0 nor 1")
    try:
        probability = float(text)
    except ValueError:
        probability = math.nan
    if not math.isfinite(probability):
        raise FileError(f"{where}: {text!r} is no probability")
    actions = table[int(player)].setdefault(infoset, {})
    if action in actions:
        raise FileError(f"{where}: action {action!r} of infoset {infoset!r} is repeated")
    actions[action] = probability


_WRITERS = {".json": to_json, ".csv": to_csv}
_READERS = {".json": from_json, ".csv": from_csv}


def save_strategy(path: str | Path, game: Game, profile: Profile) -> None:
    """Write a strategy as JSON or CSV, by the file's ending."""
    path = Path(path)
    text = _WRITERS[_ending(path)](game, profile)
    try:
        path.write_bytes(text.encode())
    except OSError as error:
        raise FileError(f"cannot write {path}: {error.strerror or error}") from error


def load_strategy(path: str | Path, game: Game) -> Profile:
    """Read the strategy of a game from JSON or CSV, by the file's ending."""
    path = Path(path)
    read = _READERS[_ending(path)]
    return read(read_text(path), game, str(path))


def _ending(path: Path) -> str:
    if path.suffix.lower() not in _WRITERS:
        raise FileError(f"strategies are kept as {' or '.join(_WRITERS)}, not as {path.name!r}")
    return path.suffix.lower()


def to_tabular_policy(game: Game, profile: Profile, spiel_game: Any) -> Any:
    """OpenSpiel's TabularPolicy for a strategy of a game that came from `spiel_game`.

    Every row sums to one and holds nothing above one, as OpenSpiel demands; infosets that chance
    never reaches, which imports leave out, stay uniform.
    """
    import_pyspiel()
    from open_spiel.python.policy import TabularPolicy

    if not spiel_game.get_type().provides_information_state_string:
        raise GameError(f"OpenSpiel's {spiel_game} has no information states to keep a policy by")
    policy = TabularPolicy(spiel_game)
    tables = strategy_table(game, profile)
    found = [0, 0]
    for index, state in enumerate(policy.states):
        player = state.current_player()
        actions = tables[player].get(state.information_state_string())
        if actions is None:
            continue
        legal = state.legal_actions()
        names = action_names(state, player, legal)
        if names != list(actions):
            raise _mismatch(game, spiel_game)
        row = np.maximum([actions[name] for name in names], 0.0)
        policy.action_probability_array[index, :] = 0.0
        policy.action_probability_array[index, legal] = row / row.sum()
        found[player] += 1
    if found != [len(tables[0]), len(tables[1])]:
        raise _mismatch(game, spiel_game)
    return policy


def _mismatch(game: Game, spiel_game: Any) -> EndspielError:
    return GameError(
        f"{game.name} does not have the infosets and actions of OpenSpiel's {spiel_game}"
    )
