"""Asking a service over HTTP: paced, repeated where that is safe, unclear answers told apart.

A request is repeated where the service did not take it: no connection, status 429, 503, or another
that the protocol names. After a lost, half or late answer, or another 5xx, only the service
knows whether it took the request: `UnclearError` leaves it to the protocol to find out.
"""

import json
import random
import socket
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http.client import HTTPException
from typing import Any, Final
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from endspiel import __version__
from endspiel.errors import EndspielError

LONGEST: Final = 1 << 20  # bytes of an answer
NOT_TAKEN: Final = frozenset({429, 503})  # statuses of a service that did nothing


class ServiceError(EndspielError):
    """A service that does not answer, or not by its protocol."""


class UnclearError(ServiceError):
    """A request of which only the service knows whether it was taken."""


class RefusedError(ServiceError):
    """An answer of status 4xx."""

    def __init__(self, text: str, status: int) -> None:
        super().__init__(text)
        self.status = status


@dataclass(frozen=True)
class AskingPlan:
    """How a service is asked."""

    timeout: float = 60.0  # seconds that an answer may take
    pause: float = 0.0  # seconds between two requests at least
    attempts: int = 12  # of a request, before the run ends
    first_wait: float = 1.0  # seconds; the next waits double
    longest_wait: float = 60.0


class WebService:
    """A service at an address."""

    def __init__(
        self,
        address: str,
        plan: AskingPlan | None = None,
        headers: Mapping[str, str] | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        if urlsplit(address).scheme not in ("http", "https"):
            raise ServiceError(
                f"a server's address begins with http:// or https://, not {address!r}"
            )
        self.address, self.plan = address.rstrip("/"), plan or AskingPlan()
        self.headers = {
            "Content-Type": "application/json",
            "Accept": "application/json",
            "User-Agent": f"endspiel/{__version__}",
            **(headers or {}),
        }
        self.sleep = sleep
        self.repeats = 0  # requests that were sent again
        self._next = 0.0  # when the next request may be sent

    def ask(
        self,
        method: str,
        path: str,
        fields: Mapping[str, Any] | None = None,
        *,
        safe: bool = False,
        not_taken: frozenset[int] = NOT_TAKEN,
    ) -> Any:
        """The answer to a request; one that is safe is sent again after an unclear answer, too."""
        why = ""
        for attempt in range(self.plan.attempts):
            if attempt:
                self.repeats += 1
            try:
                return self._once(method, path, fields, not_taken)
            except _NotTakenError as error:
                why, wait = str(error), error.wait
            except UnclearError as error:
                if not safe:
                    raise
                why, wait = str(error), None
            if attempt + 1 < self.plan.attempts:
                self.sleep(self._wait(attempt) if wait is None else wait)
        raise ServiceError(
            f"{self.address} did not answer {path} in {self.plan.attempts} attempts: {why}"
        )

    def _wait(self, attempt: int) -> float:
        """Seconds before the next attempt: they double, and no two clients wait alike."""
        longest = min(self.plan.longest_wait, self.plan.first_wait * 2.0**attempt)
        return longest * (0.5 + 0.5 * random.random())

    def _once(
        self,
        method: str,
        path: str,
        fields: Mapping[str, Any] | None,
        not_taken: frozenset[int],
    ) -> Any:
        self._keep_pace()
        body = None if fields is None else json.dumps(fields).encode()
        request = Request(f"{self.address}/{path}", body, self.headers, method=method)
        where = f"{self.address} answered {path}"
        try:
            with urlopen(request, timeout=self.plan.timeout) as reply:
                return json.loads(reply.read(LONGEST))
        except HTTPError as error:
            status, text = error.code, _text_of(error)
            told = f"{where} with status {status}: {text}".rstrip(": ")
            if status in not_taken:
                raise _NotTakenError(told, _seconds(error.headers.get("Retry-After"))) from error
            if status >= 500:
                raise UnclearError(told) from error
            raise RefusedError(told, status) from error
        except URLError as error:
            if isinstance(error.reason, ConnectionRefusedError | socket.gaierror):
                raise _NotTakenError(f"{self.address} cannot be reached: {error.reason}") from error
            raise UnclearError(f"{self.address} did not answer {path}: {error.reason}") from error
        except (OSError, HTTPException, ValueError) as error:
            kind = type(error).__name__
            raise UnclearError(f"{self.address} did not answer {path}: {kind} {error}") from error

    def _keep_pace(self) -> None:
        now = time.monotonic()
        if now < self._next:
            self.sleep(self._next - now)
        self._next = max(now, self._next) + self.plan.pause


class _NotTakenError(Exception):
    """A request that the service did not take; seconds to wait, if it says them."""

    def __init__(self, text: str, wait: float | None = None) -> None:
        super().__init__(text)
        self.wait = wait


def _text_of(error: HTTPError) -> str:
    try:
        return error.read(400).decode(errors="replace").strip()
    except (OSError, HTTPException):
        return ""


def _seconds(text: str | None) -> float | None:
    """The seconds of a Retry-After; None where it is a date or nothing."""
    try:
        return None if text is None else min(3600.0, max(0.0, float(text)))
    except ValueError:
        return None
