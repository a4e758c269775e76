"""Strategies survive being written: to JSON, to CSV, to OpenSpiel."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endspiel.engine.schemes import SCHEMES
from endspiel.errors import EndspielError, FileError, GameError
from endspiel.game import Profile, exploitability
from endspiel.games import toy
from endspiel.games.efg import load_efg
from endspiel.games.export import (
    from_csv,
    from_json,
    load_strategy,
    save_strategy,
    strategy_table,
    to_csv,
    to_json,
    to_tabular_policy,
)
from endspiel.games.leduc_holdem import leduc
from endspiel.games.openspiel import from_openspiel
from endspiel.games.tree import Decision, Leaf, build
from endspiel.solvers.firstorder.cfr import CFR
from tests.games.test_efg import DATA

KUHN = toy.kuhn()


def random_profile(game, seed=1):
    random = np.random.default_rng(seed)
    weights = [random.random(plex.num_sequences) for plex in game.plexes]
    return Profile.from_plans(game, *weights)


def solved(game, iterations=300):
    solver = CFR(game, SCHEMES["cfr+"])
    for _ in range(iterations):
        solver.step()
    return solver.average()


def awkward_names():
    """Names with everything that a format might trip over."""
    names = ['quote " comma , brace {', "two\nlines", "two\r\nlines\r", "", "ünïcode \u2028", "\\"]

    def expand(state):
        if len(state) < 2:
            actions = [(name, (*state, i)) for i, name in enumerate(names)]
            return Decision(len(state), names[len(state)], actions)
        return Leaf(float((state[0] * state[1]) % 3))

    return build((), expand, "awkward")


@pytest.mark.parametrize("ending", ["json", "csv"])
@pytest.mark.parametrize(
    "make",
    [toy.kuhn, leduc, toy.guess_the_ace, awkward_names, lambda: from_openspiel("kuhn_poker")],
)
def test_files_give_back_the_same_bits(make, ending, tmp_path):
    game = make()
    profile = random_profile(game)
    path = tmp_path / f"strategy.{ending}"
    save_strategy(path, game, profile)
    back = load_strategy(path, game)
    for player in (0, 1):
        assert profile.behavior[player].tobytes() == back.behavior[player].tobytes()


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=3, max_size=3))
def test_any_probability_survives(numbers):
    profile = Profile.uniform(KUHN)
    behavior, first = profile.behavior[0], KUHN.plexes[0].block(0).first
    behavior[first : first + 3] = numbers
    behavior[first + 3 : first + 6] = 1 - np.array(numbers)
    for write, read in ((to_json, from_json), (to_csv, from_csv)):
        back = read(write(KUHN, profile), KUHN)
        assert back.behavior[0].tobytes() == behavior.tobytes()


@pytest.mark.parametrize(("write", "read"), [(to_json, from_json), (to_csv, from_csv)])
def test_shared_rows_are_written_once_and_read_everywhere(write, read):
    game = load_efg(DATA / "forgetful.efg")
    profile = solved(game, 20)
    assert set(strategy_table(game, profile)[0]) == {"first", "second"}
    back = read(write(game, profile), game)
    np.testing.assert_array_equal(back.behavior[0], profile.behavior[0])
    with pytest.raises(GameError, match=r"'second'.*different"):
        write(game, random_profile(game))


@pytest.mark.parametrize("name", ["kuhn_poker", "leduc_poker", "liars_dice(dice_sides=3)"])
@pytest.mark.parametrize("play", [random_profile, solved])
def test_openspiel_finds_the_same_exploitability(name, play):
    pyspiel = pytest.importorskip("pyspiel")
    from open_spiel.python.algorithms.exploitability import nash_conv

    spiel_game = pyspiel.load_game(name)
    game = from_openspiel(spiel_game)
    profile = play(game)
    policy = to_tabular_policy(game, profile, spiel_game)
    found = exploitability(game, profile)
    assert nash_conv(spiel_game, policy) == pytest.approx(2 * found.mean, rel=1e-9, abs=1e-12)


def test_policies_hold_nothing_above_one():
    pyspiel = pytest.importorskip("pyspiel")
    spiel_game = pyspiel.load_game("kuhn_poker")
    game = from_openspiel(spiel_game)
    profile = Profile.uniform(game)
    for behavior in profile.behavior:  # as a linear program leaves them
        behavior[1:] = 0.5 + 1e-9
        behavior[1] = 1 + 1e-12
        behavior[4] = -1e-12
    array = to_tabular_policy(game, profile, spiel_game).action_probability_array
    assert array.min() >= 0
    assert array.max() <= 1
    np.testing.assert_allclose(array.sum(axis=1), 1, rtol=1e-15)


def test_policies_for_another_game_are_refused():
    pyspiel = pytest.importorskip("pyspiel")
    for ours, theirs in ((KUHN, "kuhn_poker"), (from_openspiel("leduc_poker"), "kuhn_poker")):
        with pytest.raises(GameError, match="does not have the infosets"):
            to_tabular_policy(ours, Profile.uniform(ours), pyspiel.load_game(theirs))


TEXT = to_csv(KUHN, Profile.uniform(KUHN))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "does not begin with the columns"),
        ("a,b,c,d\n", "does not begin with the columns"),
        (TEXT.replace("0,0,p,0.5", "0,0,p", 1), "line 2: 3 fields instead of 4"),
        (TEXT.replace("0,0,p,0.5", "2,0,p,0.5", 1), "line 2: player '2'"),
        (TEXT.replace("0,0,p,0.5", "0,0,p,half", 1), "line 2: 'half' is no probability"),
        (TEXT.replace("0,0,p,0.5", "0,0,p,nan", 1), "line 2: 'nan' is no probability"),
        (TEXT.replace("0,0,p,0.5", "0,0,p,0.6", 1), "infoset '0' probabilities .* sum to 1.1"),
        (TEXT.replace("0,0,p,0.5", "0,0,p,-0.5", 1), "negative"),
        (TEXT.replace("0,0,p,0.5", "0,0,q,0.5", 1), r"infoset '0' actions \['q', 'b'\]"),
        (TEXT.replace("0,0,p,0.5\n0,0,b,0.5\n", ""), "no strategy for player 0's infoset '0'"),
        (TEXT + "1,9,p,1.0\n", "player 1's infoset '9', which kuhn does not have"),
        (TEXT + "0,0,p,0.5\n", "action 'p' of infoset '0' is repeated"),
    ],
)
def test_refused_csv(text, message):
    with pytest.raises(EndspielError, match=message):
        from_csv(text, KUHN)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is not a strategy in JSON"),
        ("[1]", "is not a strategy in JSON"),
        ("[" * 100_000, "is not a strategy in JSON"),
        ('{"format": "x", "game": "", "players": [{}, {}]}', "has format 'x'"),
        ('{"format": "endspiel-strategy", "game": "", "players": [{}]}', "not a strategy"),
        ('{"format": "endspiel-strategy", "game": "", "players": [{}, {}]}', "no strategy for"),
    ],
)
def test_refused_json(text, message):
    with pytest.raises(EndspielError, match=message):
        from_json(text, KUHN)


def test_refused_files(tmp_path):
    profile = Profile.uniform(KUHN)
    with pytest.raises(FileError, match=r"\.json or \.csv"):
        save_strategy(tmp_path / "strategy.txt", KUHN, profile)
    with pytest.raises(FileError, match="cannot write"):
        save_strategy(tmp_path / "no" / "folder.csv", KUHN, profile)
    with pytest.raises(FileError, match="there is no file"):
        load_strategy(tmp_path / "none.json", KUHN)
    (tmp_path / "binary.csv").write_bytes(b"\xff\xfe")
    with pytest.raises(FileError, match="not UTF-8"):
        load_strategy(tmp_path / "binary.csv", KUHN)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_damaged_files_only_raise_our_errors(data):
    write, read = data.draw(st.sampled_from([(to_json, from_json), (to_csv, from_csv)]))
    text = write(KUHN, Profile.uniform(KUHN))
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    text = text[:start] + data.draw(st.text(max_size=5)) + text[end:]
    try:
        profile = read(text, KUHN)
    except EndspielError:
        return
    assert np.isfinite(profile.behavior[0]).all()
