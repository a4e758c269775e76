"""`endspiel agents` shows every spec and option, in text and in JSON."""

import pytest

from endspiel.agent import agent_forms
from tests.cli.commands import runner


def test_every_spec_and_option_is_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    done = runner("agents", monkeypatch, capsys)()
    assert done.status == 0
    words = set(done.out.replace(",", " ").replace("=", " ").split())
    for form in agent_forms():
        assert form.spec in done.out
        assert set(form.options) <= words
    assert "Default 0.003." in done.out
    assert max(map(len, done.out.splitlines())) <= 100


def test_the_object_has_every_option(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    done = runner("agents", monkeypatch, capsys)("blueprint+nested", "--json", "-")
    (nested,) = done.json["agents"]
    assert nested["spec"] == "blueprint+nested"
    assert nested["options"]["street"] == {
        "values": "turn, river",
        "default": "turn",
        "help": "The first street that is solved to the end.",
    }


def test_an_unknown_agent_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    done = runner("agents", monkeypatch, capsys)("zzz")
    assert done.status == 2
    assert "no agent begins with 'zzz': there are random" in done.err
