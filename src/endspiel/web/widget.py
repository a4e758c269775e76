"""A solution in a notebook's cell: the study page's chart, actions and filter, from its own files.

A widget is one module of JavaScript. The page's modules are put into it as texts; in the browser
each becomes a module again, and the two that ask the server are replaced by two of `widget_js`,
which ask the notebook's kernel.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import anywidget
import msgspec
import traitlets

from endspiel.cards.hand_filter import HandFilter
from endspiel.errors import EndspielError
from endspiel.solving.solution import SpotSolution
from endspiel.web.cached_solution import CachedSolution
from endspiel.web.following import answer_next
from endspiel.web.hands import answer_hands, answer_kinds
from endspiel.web.runouts import answer_runouts
from endspiel.web.views import answer_node

HERE: Final = Path(__file__).parent
ENTRY: Final = "widget_js/view.js"
REPLACED: Final = {  # of the page, when the page's own modules ask for them
    "static/js/api.js": "widget_js/api.js",
    "static/js/app.js": "widget_js/app.js",
}
STYLES: Final = ("tokens", "base", "cards", "grid", "study", "solve", "result")
OWN_STYLE: Final = """
:host { display: block; font: var(--text-m)/1.45 var(--font); color: var(--ink); background: var(--paper); padding: 12px; border-radius: 6px; }
.widget-node { display: grid; grid-template-columns: minmax(280px, 460px) minmax(280px, 1fr); gap: 16px; align-items: start; }
@media (max-width: 760px) { .widget-node { grid-template-columns: 1fr; } }
"""  # noqa: E501
_IMPORT: Final = re.compile(r"""(?P<before>\b(?:from|import)\s*)["'](?P<path>\.{1,2}/[^"']+)["']""")
_LOADER: Final = """
const modules = %s;
const css = %s;
async function load() {
  const urls = {};
  let last;
  for (const [name, text] of modules) {
    const source = text.replace(/@module:([^@]+)@/g, (_, other) => urls[other]);
    urls[name] = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
    last = urls[name];
  }
  return import(last);
}
export default { async render(context) { return (await load()).render(context, css); } };
"""


def _resolved(name: str, path: str) -> str:
    """The module that a path means in another module."""
    target = (HERE / name).parent.joinpath(path).resolve().relative_to(HERE.resolve()).as_posix()
    own = name.startswith("widget_js/")
    return target if own else REPLACED.get(target, target)


def bundled_modules(entry: str = ENTRY) -> list[tuple[str, str]]:
    """The modules that one needs and itself last, each with the texts of its imports marked."""
    found: dict[str, str] = {}
    under_way: list[str] = []

    def visit(name: str) -> None:
        if name in found:
            return
        if name in under_way:
            raise EndspielError(f"the page's modules import each other: {[*under_way, name]}")
        under_way.append(name)
        text = (HERE / name).read_text(encoding="utf-8")
        for match in _IMPORT.finditer(text):
            visit(_resolved(name, match["path"]))
        under_way.pop()
        found[name] = _IMPORT.sub(
            lambda match: f'{match["before"]}"@module:{_resolved(name, match["path"])}@"', text
        )

    visit(entry)
    return list(found.items())


def widget_style() -> str:
    """The page's styles inside a shadow tree, where the root is the host."""
    parts = [(HERE / f"static/css/{name}.css").read_text(encoding="utf-8") for name in STYLES]
    return re.sub(r":root\b(\[[^\]]*\])?", _host, "\n".join(parts)) + OWN_STYLE


def _host(match: "re.Match[str]") -> str:
    return f":host({match[1]})" if match[1] else ":host"


def widget_module() -> str:
    """The whole widget as one module."""
    modules, style = (
        msgspec.json.encode(part).decode() for part in (bundled_modules(), widget_style())
    )
    return _LOADER % (modules, style)


class SolutionWidget(anywidget.AnyWidget):
    """A solved spot to look around in; `node` is the line that is shown.

    Examples:
        >>> import endspiel as es
        >>> from endspiel.web.widget import SolutionWidget
        >>> river = es.parse_spot(
        ...     {
        ...         "board": "Qs Jh 2h 4c 8d",
        ...         "pot": 200,
        ...         "stack": 300,
        ...         "ranges": ["QQ,AJs,T9s", "JJ,KQo,A5s"],
        ...         "river": {"bet": "50%, a", "raise": "a"},
        ...     }
        ... )
        >>> SolutionWidget(es.solve(river, iterations=50), node="c").node
        'c'
    """

    _esm = widget_module()
    node = traitlets.Unicode("").tag(sync=True)
    exploitability = traitlets.Float(0.0).tag(sync=True)  # a share of the pot

    def __init__(self, solution: SpotSolution, node: str = "") -> None:
        self.cached = CachedSolution(solution)
        super().__init__(node=node, exploitability=solution.exploitability)
        self.on_msg(self._heard)

    def answer(self, path: str, parameters: Mapping[str, str]) -> Any:
        """What the page's server would answer."""
        what = path.rpartition("/")[2]
        line, player = parameters.get("line", ""), parameters.get("player")
        seat = None if player is None else int(player)
        passing = _filter(parameters)

        def question(solution: SpotSolution) -> Any:
            if what == "node":
                return answer_node(solution, line, "solution", True, passing)
            if what == "hands":
                named = parameters.get("class", "random")
                return answer_hands(solution, line, named, seat, passing)
            if what == "kinds":
                return answer_kinds(solution, line, seat)
            if what == "next":
                return answer_next(solution, line)
            if what == "runouts":
                return answer_runouts(solution, line)
            raise EndspielError(f"nothing answers {path[:80]!r} in a notebook")

        key = (what, *sorted((name, str(value)) for name, value in parameters.items()))
        return msgspec.json.decode(self.cached.ask(key, question))

    def _heard(self, widget: Any, content: Mapping[str, Any], buffers: Any) -> None:
        """Answer a question of the cell."""
        told: dict[str, Any] = {"number": content.get("number")}
        try:
            told["answer"] = self.answer(content["path"], content["parameters"])
        except EndspielError as error:
            told["error"] = str(error)
        self.send(told)


def _filter(parameters: Mapping[str, str]) -> HandFilter:
    """The filter of a request's parameters."""
    made, drawn = (
        tuple(filter(None, parameters.get(name, "").split(","))) for name in ("made", "draws")
    )
    return HandFilter(made, drawn, parameters.get("suits", ""), parameters.get("holds", ""))
