"""Agents list the options that their factories read, with the defaults that they use."""

import ast
import inspect
import re
from types import ModuleType

import pytest

import endspiel.arena  # noqa: F401  (registers its agents)
from endspiel.agent import agent_forms, agent_names, blueprint, endgame, leaky, make_agent, nested
from endspiel.arena.estimators import local_best_response
from endspiel.endgame.safe.techniques import PLAYED
from endspiel.errors import EndspielError
from endspiel.rules.builtin import load_rules

READ = re.compile(
    r'(?:given|chosen)(?:\.get\(|\[)"(\w+)"|"(\w+)" in (?:given|chosen)'
    r'|\(given, "(\w+)"(?:, ([\w.]+))?'
)
BY_OTHERS = {"book", "map", "post", *endgame.PROGRAM_WORDS}  # read by functions that are shared
SPECS = [
    form.spec for form in agent_forms() if form.options and form.agent in ("blueprint", "leaky")
]


def read(module: ModuleType) -> dict[str, str]:
    """Options that a module's factory reads, each with its default as the source has it."""
    found: dict[str, str] = {}
    for groups in READ.findall(inspect.getsource(module)):
        name = groups[0] or groups[1] or groups[2]
        found[name] = groups[3] or found.get(name, "")
    return found


@pytest.mark.parametrize("module", [blueprint, endgame, nested, leaky, local_best_response])
def test_the_options_listed_are_those_read(module: ModuleType) -> None:
    listed, found = set(module.OPTIONS), set(read(module))
    assert found <= listed
    assert listed - found <= BY_OTHERS


@pytest.mark.parametrize("module", [endgame, nested])
def test_numbers_have_the_default_that_is_used(module: ModuleType) -> None:
    checked = 0
    for name, source in read(module).items():
        shown = module.OPTIONS[name].default
        if not source or not shown:
            continue
        used = ast.literal_eval(source) if source[0].isdigit() else eval(source, vars(module))
        scale = 1e-6 if name == "work" else 1.0
        assert float(used) * scale == float(shown), name
        checked += 1
    assert checked >= 5


def test_every_agent_and_technique_has_a_form() -> None:
    forms = agent_forms()
    assert {form.agent for form in forms} >= set(agent_names())
    specs = {form.spec for form in forms}
    assert {f"blueprint+{name}" for name in (*PLAYED, "nested", "none")} <= specs
    assert all(form.help.endswith(".") for form in forms)
    options = [option for form in forms for option in form.options.values()]
    assert all(option.help.endswith(".") and option.values for option in options)


@pytest.mark.parametrize("spec", SPECS)
def test_a_word_that_is_not_listed_is_refused(spec: str) -> None:
    form = next(form for form in agent_forms() if form.spec == spec)
    rules = load_rules("nolimit-holdem")
    with pytest.raises(EndspielError, match="no option"):
        make_agent(f"{spec}{form.mark}post=none,zzz=1", rules)
    if "target" in form.options:
        with pytest.raises(EndspielError, match="option target is a number"):
            make_agent(f"{spec}{form.mark}target=x", rules)
