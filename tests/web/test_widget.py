"""The notebook's widget: one module of the page's own files, and a kernel that answers them."""

import re
from typing import Any

import pytest

import endspiel as es
from endspiel.errors import EndspielError
from endspiel.web.widget import HERE, SolutionWidget, bundled_modules, widget_style
from tests.batch.rivers import flop, river

EXPORTED = r"export (?:async )?(?:const|function|class|let) (\w+)|export \{([^}]*)\}"


@pytest.fixture(scope="module")
def widget() -> SolutionWidget:
    return SolutionWidget(es.solve(river(), iterations=50))


def test_every_module_comes_after_those_it_needs() -> None:
    names = [name for name, _ in bundled_modules()]
    for at, (_, text) in enumerate(bundled_modules()):
        assert set(re.findall("@module:([^@]+)@", text)) <= set(names[:at])
    assert names[-1] == "widget_js/view.js"
    assert "static/js/result/matrix.js" in names
    assert "static/js/app.js" not in names


def exports(name: str) -> set[str]:
    """Names that a module of the page exports, as far as its text says."""
    found = set()
    for one, several in re.findall(EXPORTED, (HERE / name).read_text()):
        found |= {one} if one else {part.split(" as ")[-1].strip() for part in several.split(",")}
    return found


def test_modules_export_what_others_import() -> None:
    for name, text in bundled_modules():
        for several, other in re.findall(r'import \{([^}]*)\} from "@module:([^@]+)@"', text):
            if "vendor" not in other:
                wanted = {part.split(" as ")[0].strip() for part in several.split(",")} - {""}
                assert wanted <= exports(other), f"{name} imports from {other}"


def test_styles_stay_inside_the_cell() -> None:
    style = widget_style()
    assert ":root" not in style
    assert ':host([data-theme="dark"])' in style


def test_the_kernel_answers_as_the_server_does(widget: SolutionWidget) -> None:
    node = widget.answer("/api/jobs/solution/node", {"line": "b150"})
    assert (node["kind"], node["player"]) == ("decision", 1)
    held = widget.answer("/api/jobs/solution/node", {"line": "b150", "made": "set"})
    assert held["filtered"]["combos"][1] < node["combos"]
    hands = widget.answer("/api/jobs/solution/hands", {"line": "b150", "class": "JJ"})
    assert {row["hand"][0] for row in hands["hands"]} == {"J"}
    assert widget.answer("/api/jobs/solution/kinds", {"line": "", "player": "1"})["made"]
    assert len(widget.answer("/api/jobs/solution/next", {"line": ""})["next"]) == 2
    with pytest.raises(EndspielError, match="nothing answers"):
        widget.answer("/api/jobs", {})
    runouts = SolutionWidget(es.solve(flop(), iterations=5)).answer("x/runouts", {"line": "c c"})
    assert len(runouts["cards"]) > 40


def test_a_message_gets_its_answer_or_a_sentence(
    widget: SolutionWidget, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[dict[str, Any]] = []
    monkeypatch.setattr(widget, "send", sent.append)
    asked = {"path": "/api/jobs/solution/node", "parameters": {"line": "b999"}, "number": 3}
    widget._heard(widget, asked, [])
    widget._heard(widget, asked | {"parameters": {"line": ""}, "number": 4}, [])
    assert sent[0]["number"] == 3
    assert "b999" in sent[0]["error"]
    assert sent[1]["answer"]["line"] == ""
