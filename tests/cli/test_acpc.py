"""``endspiel acpc``: refusals; ``test_dealer`` plays."""

import pytest
import typer
from typer.testing import CliRunner

from endspiel.arena.protocol.wire import Listener
from endspiel.cli.acpc import acpc
from endspiel.errors import EndspielError


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "cannot connect to 127.0.0.1 port"),
        (["--agent", "nobody"], "no agent 'nobody'"),
        (["--game", "chess"], "no game 'chess'"),
    ],
)
def test_refusals(options: list[str], message: str) -> None:
    closed = Listener()
    closed.close()
    app = typer.Typer()
    app.command()(acpc)
    result = CliRunner().invoke(app, ["127.0.0.1", str(closed.port), *options])
    assert isinstance(result.exception, EndspielError)
    assert message in str(result.exception)
