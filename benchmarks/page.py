"""The study page in Chromium: first paint, click to result, moves in the tree, inputs, memory.

Run as ``python benchmarks/page.py [minutes]``; needs ``endspiel[web]``, Playwright and Chromium.
Times are medians over repeats on loopback, after one warm solve (the first compiles the kernels).
Memory is the page's heap after a collection, minute by minute while it is driven hard: a solve
that runs and reports, moves, hovers, views. Eight hours are extrapolated from the slope of the
later half, the first being caches that fill up. Interactions are clicks and keys on a turn with all
hands, the longest table that the page shows, by the browser's own Event Timing: from the input to
the next frame, in steps of 8 ms.
"""

import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable
from typing import Any

from playwright.sync_api import sync_playwright

SERVE = "import sys; from pathlib import Path; from endspiel.cli.serve import serve; serve(port=0, folder=Path(sys.argv[1]), browser=False)"  # noqa: E501
LINES = ["b100", "b100 r340", "c", "c b100", "b200", "c b200", ""]
MOVE = """line => new Promise(done => {
  const begun = performance.now();
  const shown = () => document.querySelector(`.node-head[data-line="${line}"]`);
  const watcher = new MutationObserver(() => {
    if (!shown()) return;
    watcher.disconnect();
    requestAnimationFrame(() => done(performance.now() - begun));
  });
  watcher.observe(document.body, {subtree: true, childList: true, attributes: true});
  const [, view, id] = location.hash.split('/');
  location.hash = `#/${view}/${id}/${encodeURIComponent(line)}`;
})"""

LARGEST = {
    "board": "Qs Jh 2h 4c", "pot": 200, "stack": 900, "ranges": ["random", "random"],
    "turn": {"bet": "50%, 100%", "raise": "60%"}, "river": {"bet": "75%", "raise": "60%"},
}  # fmt: skip
OBSERVE = """() => {
  window.inputs = [];
  new PerformanceObserver((list) => window.inputs.push(...list.getEntries()
    .filter(({interactionId}) => interactionId)
    .map(({name, duration}) => [name, duration])))
    .observe({type: 'event', durationThreshold: 16, buffered: true});
}"""
SETTLE = """() => new Promise((done) =>
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50))))"""


def solve_largest(address: str) -> str:
    """The id of a solved turn with all hands."""
    home, _, token = address.partition("?token=")
    head = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def ask(path: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{home}{path}", data, head)
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    job = ask("api/jobs", {"spot": LARGEST, "iterations": 20})
    while job["state"] in ("queued", "running"):
        time.sleep(0.5)
        job = ask(f"api/jobs/{job['id']}")
    return str(job["id"])


def interaction_times(page: Any, home: str, job: str) -> dict[str, float]:
    """Milliseconds from an input to the next frame, the longest event of each interaction."""
    page.goto(f"{home}#/result/{job}")
    page.locator("tr[data-row]").first.wait_for()
    page.evaluate(OBSERVE)
    table = page.get_by_label("All hands", exact=True)
    group = page.get_by_role("group", name="View")
    steps: dict[str, Callable[[], Any]] = {
        "choose a class": lambda: page.locator("[data-class=AKs]").click(),
        "arrow key in the chart": lambda: page.keyboard.press("ArrowRight"),
        "show EVs": lambda: group.get_by_role("button", name="EV", exact=True).click(),
        "show the strategy": lambda: group.get_by_role("button", name="Strategy").click(),
        "sort all hands": lambda: table.get_by_role("button", name="Equity").click(),
        "open the filter": lambda: page.get_by_role("button", name="Filter", exact=True).click(),
        "filter flush draws": lambda: page.locator("[data-kind='flush draw'] input").click(),
        "no filter": lambda: page.locator("[data-kind='flush draw'] input").click(),
        "open the lock": lambda: page.get_by_role("button", name="Lock", exact=True).click(),
        "go to the next node": lambda: page.locator("tr[data-action=b100] a").click(),
        "amounts in big blinds": lambda: page.get_by_role("button", name="bb", exact=True).click(),
        "light and dark": lambda: page.get_by_label("Change between light and dark").click(),
    }
    found = {}
    for name, step in steps.items():
        page.evaluate("() => { window.inputs = []; }")
        step()
        page.evaluate(SETTLE)
        found[name] = max((took for _, took in page.evaluate("window.inputs")), default=0.0)
    return found


def paint_times(browser: Any, address: str, repeats: int = 7) -> list[float]:
    """Milliseconds to the first contentful paint, each time in a new profile."""
    times = []
    for _ in range(repeats):
        context = browser.new_context()
        page = context.new_page()
        page.goto(address)
        page.locator(".chart").first.wait_for()
        times.append(
            page.evaluate(
                "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN"
            )
        )
        context.close()
    return times


def solve_times(page: Any, home: str, repeats: int = 5) -> list[float]:
    """Milliseconds from the click on Solve to the chart of the result."""
    times = []
    for _ in range(repeats + 1):
        page.goto(f"{home}#/spot")
        page.get_by_label("Example spots").select_option(index=1)
        page.locator(".estimate").first.wait_for()
        begun = time.perf_counter()
        page.locator("button[type=submit]").click()
        page.locator(".node .chart").first.wait_for()
        times.append(1000 * (time.perf_counter() - begun))
    return times[1:]  # the first compiles


def move_times(page: Any, rounds: int = 4) -> tuple[list[float], list[float]]:
    """Milliseconds from asking for a node to the frame that shows it: new ones, seen ones."""
    rounds_of = [[page.evaluate(MOVE, line) for line in LINES] for _ in range(rounds)]
    return rounds_of[0], [one for later in rounds_of[1:] for one in later]


def heap(session: Any) -> float:
    """Megabytes of the page's heap, after a collection."""
    session.send("HeapProfiler.collectGarbage")
    metrics = {m["name"]: m["value"] for m in session.send("Performance.getMetrics")["metrics"]}
    return float(metrics["JSHeapUsedSize"]) / 1e6


def drive(page: Any, home: str, session: Any, minutes: float) -> list[tuple[float, float]]:
    """Seconds and megabytes while the page is used without a pause and a solve runs."""
    result = page.url
    page.goto(f"{home}#/spot")
    page.get_by_label("Example spots").select_option(index=3)
    page.locator(".estimate").first.wait_for()
    page.get_by_label("Target, % of pot").fill("0.0000001")
    page.locator("button[type=submit]").click()
    page.locator(".curve .line").first.wait_for()
    running = page.url
    session.send("Performance.enable")
    begun = time.perf_counter()
    found: list[tuple[float, float]] = []
    while (passed := time.perf_counter() - begun) < 60 * minutes or not found:
        page.goto(result)
        page.locator(".node .chart").first.wait_for()
        for line in LINES:
            page.evaluate(MOVE, line)
        for view in ("EV", "Equity", "Range", "Strategy"):
            page.locator(".segmented").get_by_text(view, exact=True).first.click()
        for name in ("AKs", "QJo", "77", "T9s"):
            page.locator(f"[data-class='{name}']").hover()
        page.goto(running)
        page.locator(".curve .line").first.wait_for()
        if not found or passed - found[-1][0] > 15:
            found.append((passed, heap(session)))
    page.get_by_role("button", name="Stop").click()
    return found


def slope(points: list[tuple[float, float]]) -> float:
    """Megabytes an hour, by least squares over the later half."""
    later = points[len(points) // 2 :]
    if len(later) < 3:
        return float("nan")
    times, sizes = zip(*later, strict=True)
    return 3600 * statistics.linear_regression(times, sizes).slope


def main() -> None:
    minutes = float(sys.argv[1]) if len(sys.argv) > 1 else 3.0
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        command = [sys.executable, "-c", SERVE, folder]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert server.stdout is not None
        said = server.stdout.readline()
        if not said:
            sys.exit(f"the server ended with status {server.wait()}")
        address = said.split()[-1]
        home = address.partition("?")[0]
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page()
        page.goto(address)
        paints = paint_times(browser, address)
        solves = solve_times(page, home)
        new, seen = move_times(page)
        for name, times in (
            ("first paint", paints),
            ("click to result", solves),
            ("move to a new node", new),
            ("move to a seen node", seen),
        ):
            print(f"{name:22} median {statistics.median(times):6.0f} ms, worst {max(times):6.0f}")
        job = solve_largest(address)
        rounds = [interaction_times(page, home, job) for _ in range(5)]
        for name in rounds[0]:
            times = [one[name] for one in rounds]
            print(f"{name:22} median {statistics.median(times):6.0f} ms, worst {max(times):6.0f}")
        points = drive(page, home, page.context.new_cdp_session(page), minutes)
        for seconds, size in points:
            print(f"heap after {seconds:5.0f} s {size:7.2f} MB")
        print(f"growth {slope(points):.2f} MB an hour, {8 * slope(points):.1f} MB in eight")
        browser.close()
        server.terminate()
        server.wait(30)


if __name__ == "__main__":
    main()
