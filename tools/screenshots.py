"""Makes the pictures of the study page that the README shows, with Chromium.

`python tools/screenshots.py [CHROMIUM]` solves a turn twice, the second time locked, and a report
on 25 flops, some minutes of a core, and writes `docs/images/study-*.png`, each in 96 colors. It
tells when the page was first painted.
"""

import io
import json
import re
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from PIL import Image
from playwright.sync_api import Page, ViewportSize, sync_playwright

IMAGES = Path(__file__).parents[1] / "docs" / "images"
ENDSPIEL = str(Path(sys.executable).with_name("endspiel"))
SIZE = ViewportSize(width=1440, height=890)
COLORS = 96
TURN: dict[str, Any] = {
    "board": "Qs Jh 2h 4c",
    "pot": 200,
    "stack": 900,
    "ranges": [
        "TT-22,AJs-A2s,K9s+,Q9s+,J9s+,T8s+,97s+,86s+,76s,65s,54s,AJo-A9o,KTo+,QTo+,JTo",
        "22+,A2s+,K5s+,Q8s+,J8s+,T8s+,97s+,87s,76s,65s,A7o+,KTo+,QTo+,JTo",
    ],
    "turn": {"bet": "50%, 100%", "raise": "60%"},
    "river": {"bet": "50%, 100%", "raise": "60%"},
}
FLOP = """
board = "Qs Jh 2h"
pot = 60
stack = 970
ranges = ["22-JJ,A2s-AJs,K9s+,QTs+,JTs,T9s,98s,AJo-ATo,KQo", "22+,A2s+,K8s+,Q9s+,J9s+,A9o+,KTo+"]
[flop]
bet = ["", "33%, 75%"]
[turn]
bet = ""
[river]
bet = "75%"
"""


class Server:
    """The study page's server in a folder, and its address."""

    def __init__(self, folder: str) -> None:
        command = [
            ENDSPIEL,
            "serve",
            "--port",
            "0",
            "--no-browser",
            "--folder",
            folder,
            "--json",
            "-",
        ]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        told = ""
        while not told.rstrip().endswith("}"):
            line = self.process.stdout.readline()
            if not line:
                sys.exit(f"the server ended with status {self.process.wait()}")
            told += line
        self.address = str(json.loads(told)["address"])
        self.home, _, self.token = self.address.partition("?token=")

    def ask(self, path: str, body: bytes | dict[str, Any] | None = None) -> Any:
        """What the server answers."""
        kind = "application/octet-stream" if isinstance(body, bytes) else "application/json"
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": kind}
        data = json.dumps(body).encode() if isinstance(body, dict) else body
        request = urllib.request.Request(self.home + path, data, headers)
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def solve(self, body: dict[str, Any]) -> str:
        """The id of a job, once it is solved."""
        name = str(self.ask("api/jobs", body)["id"])
        while self.ask(f"api/jobs/{name}")["state"] in ("queued", "running"):
            time.sleep(0.3)
        return name


def report(folder: str) -> bytes:
    """A report on 25 flops, after a check."""
    spot, out = Path(folder) / "flop.toml", Path(folder) / "report.json"
    spot.write_text(FLOP, encoding="utf-8")
    options = ["--flops", "25", "--target", "1", "--node", "c", "--json", str(out)]
    subprocess.run([ENDSPIEL, "report", str(spot), *options], check=True)
    return out.read_bytes()


def save(page: Page, name: str) -> None:
    """A picture of the page as it is now."""
    page.wait_for_timeout(1200)
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    path = IMAGES / f"study-{name}.png"
    picture.quantize(COLORS, dither=Image.Dither.NONE).save(path, optimize=True)
    print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")


def main() -> None:
    """Solve, look, save."""
    chromium = sys.argv[1] if len(sys.argv) > 1 else "/usr/bin/chromium"
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = Server(folder)
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport=SIZE)
        try:
            look(server, page, report(folder))
        finally:
            browser.close()
            server.process.terminate()
            server.process.wait()


def look(server: Server, page: Page, made: bytes) -> None:
    """Every view, one after another."""
    page.goto(server.address)
    page.wait_for_selector(".chart")
    paint = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
    print(f"first paint after {page.evaluate(paint):.0f} ms")
    job = server.solve({"spot": TURN, "target_percent": 0.3, "name": "Turn, solved"})
    lock = {"line": "b100", "frequencies": {"f": 0.6, "c": 0.35, "r340": 0.05}}
    text = server.ask(f"api/jobs/{job}/lock", lock)["text"]
    more = {"locks": [text], "based_on": job, "name": "Turn, IP folds 60%"}
    locked = server.solve({"spot": TURN, "target_percent": 0.3, **more})
    page.goto(f"{server.home}#/result/{job}")
    page.wait_for_selector(".matrix")
    save(page, "result")
    page.goto(f"{server.home}#/compare/{job}+{locked}")
    page.wait_for_selector(".three")
    save(page, "compare")
    name = server.ask("api/reports?name=single-raised-pot.json", made)["id"]
    page.goto(f"{server.home}#/reports/{name}")
    page.wait_for_selector("circle.point")
    save(page, "reports")
    page.goto(f"{server.home}#/ranges")
    page.wait_for_selector("polyline")
    save(page, "ranges")
    page.goto(f"{server.home}#/train/{job}")
    page.wait_for_selector("[data-answer]")
    page.keyboard.press("1")
    page.wait_for_selector("[data-verdict]")
    save(page, "train")
    page.goto(f"{server.home}#/preflop")
    page.get_by_role("button", name="Solve the tree").click()
    page.wait_for_selector("tr[data-flop]")
    save(page, "preflop")
    play(server, page)


def play(server: Server, page: Page) -> None:
    """Two hands at the table, checked and called down."""
    page.goto(f"{server.home}#/play")
    page.locator("input[value=charts]").check()
    page.get_by_label("Your seat").select_option("button")
    page.get_by_role("button", name="Deal", exact=True).click()
    following = page.get_by_role("button", name="Next hand")
    passive = page.locator(".choices button", has_text=re.compile("^\\s*(Check|Call)"))
    for hand in range(2):
        while True:
            passive.or_(following).first.wait_for()
            if following.is_visible():
                break
            said = page.locator(".log li").count()
            passive.click()
            page.wait_for_function(
                "(said) => document.querySelectorAll('.log li').length > said", arg=said
            )
        if hand == 0:
            following.click()
    page.locator(".own [data-judged]").wait_for(timeout=600_000)
    save(page, "play")


if __name__ == "__main__":
    main()
