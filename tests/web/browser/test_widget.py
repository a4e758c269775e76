"""The notebook's widget in a browser, its kernel in this process."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.web.browser.needs import PATIENCE, need

need()

import endspiel as es  # noqa: E402
from endspiel.web.widget import SolutionWidget, widget_module  # noqa: E402
from tests.batch.rivers import river_content  # noqa: E402

HTML = """<!doctype html><div id="cell"></div><script type="module">
import widget from "./widget.js";
const heard = [], changed = [];
const values = { node: "", exploitability: 0.0012 };
const model = {
  get: (name) => values[name],
  set: (name, value) => { values[name] = value; },
  save_changes() { window.node = values.node; },
  on: (event, action) => (event === "msg:custom" ? heard : changed).push(action),
  off() {},
  async send(question) {
    const answer = JSON.parse(await window.kernel(JSON.stringify(question)));
    heard.forEach((one) => one(answer));
  },
};
await widget.render({ model, el: document.getElementById("cell") });
window.move = (line) => { values.node = line; changed.forEach((one) => one()); };
</script>"""


@pytest.fixture
def cell(browser: Any) -> Iterator[Any]:
    """A page with one cell."""
    context = browser.new_context(viewport={"width": 1100, "height": 900})
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    widget = SolutionWidget(es.solve(es.parse_spot(river_content()), iterations=60))

    def kernel(text: str) -> str:
        asked, sent = json.loads(text), list[Any]()
        widget.send = sent.append
        widget._heard(widget, asked, [])
        return json.dumps(sent[0])

    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.expose_function("kernel", kernel)
    files = {"/": ("text/html", HTML), "/widget.js": ("text/javascript", widget_module())}

    def serve(route: Any) -> None:
        kind, body = files.get("/" + route.request.url.rpartition("/")[2], ("text/plain", ""))
        route.fulfill(status=200, content_type=kind, body=body)

    page.route("http://cell.test/**", serve)
    page.goto("http://cell.test/")
    yield page
    context.close()
    assert errors == []


def test_the_cell_shows_the_chart_and_goes_along_the_tree(cell: Any) -> None:
    shown = cell.locator(".widget")
    shown.wait_for()
    assert cell.locator(".cell").count() == 169
    assert "0.120% of the pot" in cell.locator("[data-part=measured]").inner_text()
    cell.locator("[data-action=b150] a").click()
    cell.locator(".widget[data-line=b150]").wait_for()
    assert cell.evaluate("window.node") == "b150"
    assert cell.evaluate("location.hash") == ""
    cell.evaluate("window.move('c')")
    cell.locator(".widget[data-line=c]").wait_for()
    cell.locator(".crumbs a").first.click()
    cell.locator(".widget[data-line='']").wait_for()


def test_the_filter_holds_hands_back(cell: Any) -> None:
    cell.get_by_role("radio", name="Filter").or_(
        cell.get_by_role("button", name="Filter")
    ).first.click()
    cell.locator("[data-kind='top pair'] input").click()
    cell.locator(".tag.filtered").wait_for()
    assert "Filter: top pair" in cell.locator(".tag.filtered").inner_text()
