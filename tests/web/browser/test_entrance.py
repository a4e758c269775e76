"""From the private file that the command gives to the browser, to the page."""

import json
from typing import Any

from endspiel.cli.browser import private_lead
from tests.web.browser.needs import PATIENCE
from tests.web.browser.steps import expect


def test_the_page_can_be_installed(page: Any) -> None:
    """What the browser itself says of the manifest, its icons and whether they suffice."""
    session = page.context.new_cdp_session(page)
    manifest = session.send("Page.getAppManifest")
    assert manifest["errors"] == []
    assert json.loads(manifest["data"])["name"] == "Endspiel"
    problems = session.send("Page.getInstallabilityErrors")["installabilityErrors"]
    # tests run in a profile of their own, where nothing is installed
    assert {problem["errorId"] for problem in problems} <= {"in-incognito"}


def test_a_private_file_leads_to_the_page(browser: Any, server: Any) -> None:
    """The cookie is strict: it must be there although the file is no page of the server's."""
    path = private_lead(server.address)
    context = browser.new_context()
    context.set_default_timeout(PATIENCE)
    try:
        page = context.new_page()
        page.goto(path.as_uri())
        page.wait_for_url(server.home)
        expect(page.get_by_role("grid").first).to_be_visible()
    finally:
        context.close()
        path.unlink()
