"""From the private file that the command gives to the browser, to the page."""

from typing import Any

from endspiel.cli.browser import private_lead
from tests.web.browser.needs import PATIENCE
from tests.web.browser.steps import expect


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
