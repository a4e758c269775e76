"""Who may ask: only this machine's own page.

A foreign web page can make a browser send requests to loopback, and by a name that it lets point
there (DNS rebinding) even read the answers. So the Host must be one of ours, the Origin, where the
browser sends one, too, and everything but the page's files needs the token of this server.
"""

import hmac
import socket
from http.cookies import CookieError, SimpleCookie
from typing import Final
from urllib.parse import parse_qs

import msgspec
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from endspiel.web.messages import Refused

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
HEADERS: Final = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
LOOPBACK: Final = ("127.0.0.1", "localhost", "[::1]")
EVERYWHERE: Final = ("0.0.0.0", "::")  # every address of this machine
_WEEK: Final = 7 * 24 * 3600
_STRANGER: Final = (
    "<!doctype html><meta charset=utf-8><title>Endspiel</title><p>This page needs the address that "
    "<code>endspiel serve</code> printed, with its token: open that one once."
)
_ENTERED: Final = (
    "<!doctype html><meta charset=utf-8><title>Endspiel</title>"
    '<meta http-equiv=refresh content="0; url=/"><p><a href="/">The study page</a>'
)


def own_names(host: str) -> list[str]:
    """What this machine is called from where the server listens, the best name first."""
    if host not in EVERYWHERE:
        return [host]
    name = socket.gethostname()
    try:
        found = {str(entry[4][0]) for entry in socket.getaddrinfo(name, None)}
    except OSError:
        found = set()
    return [name, socket.getfqdn(), *sorted(found)]


def allowed_hosts(host: str, port: int) -> frozenset[str]:
    """The Host headers that mean this server."""
    names = {*LOOPBACK, *(bracketed(name).lower() for name in own_names(host))}
    return frozenset({f"{name}:{port}" for name in names} | (names if port == 80 else set()))


def bracketed(host: str) -> str:
    """A host as addresses write it."""
    return f"[{host}]" if ":" in host else host


class Guard:
    """Lets through what this server's own page sends, and puts the page's policy on answers."""

    def __init__(self, app: ASGIApp, hosts: frozenset[str], token: str) -> None:
        self.app, self.hosts, self.token = app, hosts, token
        port = min(hosts).rpartition(":")[2]
        self.cookie = f"endspiel-{port}"  # cookies know no ports, so the name has it

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":  # there are no web sockets here
            await send({"type": "websocket.close", "code": 1008})
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                if "cache-control" not in headers:
                    headers["Cache-Control"] = "no-store"
            await send(message)

        answer = self._refusal(scope)
        await (self.app if answer is None else answer)(scope, receive, guarded)

    def _refusal(self, scope: Scope) -> Response | None:
        """The answer to a request that is not let through."""
        headers = Headers(scope=scope)
        host = headers.get("host", "").lower()
        if host not in self.hosts:
            return refusal(Refused(f"this server is not {host[:80]!r}", "", 403))
        origin = headers.get("origin")
        if origin is not None and origin.lower() != f"http://{host}":
            return refusal(Refused(f"a page of {origin[:80]} may not ask this server", "", 403))
        foreign = headers.get("sec-fetch-site", "none") not in ("none", "same-origin")
        if foreign and scope["path"].startswith("/api/"):
            return refusal(Refused("another site's page may not ask this server", "", 403))
        if scope["path"].startswith("/static/") or self._known(headers):
            return None
        if scope["path"] != "/":
            return refusal(Refused("open the address that endspiel serve printed", "", 401))
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        return self._enter(headers) if self._right(given) else HTMLResponse(_STRANGER, 401)

    def _known(self, headers: Headers) -> bool:
        """Whether a request carries the token."""
        kind, _, given = headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer" and self._right(given.strip()):
            return True
        try:
            kept = SimpleCookie(headers.get("cookie", "")).get(self.cookie)
        except CookieError:
            return False
        return kept is not None and self._right(kept.value)

    def _right(self, token: str) -> bool:
        return hmac.compare_digest(token.encode(), self.token.encode())

    def _enter(self, headers: Headers) -> Response:
        """Remember the token in the browser, and take it out of the address.

        A redirect would not carry the new cookie to a browser that another page led here, as the
        private file of `endspiel serve` does: for that one, a page of ours goes on.
        """
        typed = headers.get("sec-fetch-site") == "none"
        answer: Response = RedirectResponse("/", 303) if typed else HTMLResponse(_ENTERED)
        answer.set_cookie(
            self.cookie, self.token, max_age=_WEEK, httponly=True, samesite="strict", path="/"
        )
        return answer


def refusal(refused: Refused) -> Response:
    """The answer that says why not."""
    body = msgspec.json.encode(refused.answer())
    return Response(body, refused.status, media_type="application/json")
