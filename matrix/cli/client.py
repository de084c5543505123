"""A client of a running Matrix: where it is comes from MATRIX_URL, MATRIX_API_KEY and MATRIX_ORG, or from what `up`
left in the data folder."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx2

from matrix.cli.options import settings_in
from matrix.cli.run_file import read_run
from matrix.errors import InvalidSettings, MatrixError, TooManyRequests

Json = dict[str, Any]  # answers of the API, read where they are used
UNREACHABLE = "unreachable"


@dataclass(frozen=True, slots=True)
class Target:
    url: str
    api_key: str
    org: str


def target() -> Target:
    """Errors: InvalidSettings when nothing says where Matrix is, or how to get in."""
    url, key, org = (os.environ.get(f"MATRIX_{name}") for name in ("URL", "API_KEY", "ORG"))
    run = read_run(settings_in(None).data_dir)
    if not url and run is None:
        raise InvalidSettings(
            "No Matrix is named and none runs in the data folder.",
            field="MATRIX_URL",
            advice="Start one with `matrix up`, or set MATRIX_URL, MATRIX_API_KEY and MATRIX_ORG.",
        )
    # A key of this folder is sent nowhere else.
    local = run if run is not None and url in (None, "", run.url) else None
    if not key and local is None:
        raise InvalidSettings(
            f"MATRIX_API_KEY is not set, and {url} is not the Matrix of this data folder.",
            field="MATRIX_API_KEY",
            advice="Make a key there and set it.",
        )
    return Target(
        (url or (run.url if run else "")).rstrip("/"),
        key or (local.api_key if local else ""),
        org or (local.org if local else "default"),
    )


class MatrixClient:
    """Calls of one organization's REST API. Errors of the server come back as MatrixError with its code and advice;
    TooManyRequests, and `unreachable` when nothing answers."""

    def __init__(self, where: Target, http: httpx2.Client) -> None:
        self._prefix = f"{where.url}/api/orgs/{quote(where.org, safe='')}"
        self._http = http

    def get(self, path: str, **query: str | int) -> Json:
        return self._call("GET", path, params={name: str(value) for name, value in query.items()})

    def get_all(self, path: str, **query: str) -> Iterator[Json]:
        """The items of all pages of a list."""
        cursor: dict[str, str] = {}
        while True:
            page = self.get(path, limit=100, **query, **cursor)
            yield from page["items"]
            if not page.get("nextCursor"):
                return
            cursor = {"cursor": page["nextCursor"]}

    def post(self, path: str, body: Mapping[str, object]) -> Json:
        return self._call("POST", path, json=dict(body))

    def put(self, path: str) -> Json:
        return self._call("PUT", path)

    def delete(self, path: str, **query: str) -> Json:
        return self._call("DELETE", path, params=query)

    def upload(self, path: str, name: str, file: Path) -> Json:
        with file.open("rb") as content:
            return self._call("POST", path, files={"file": (name, content)})

    def _call(self, method: str, path: str, **arguments: Any) -> Json:
        try:
            response = self._http.request(method, f"{self._prefix}{path}", **arguments)
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise MatrixError(
                f"Matrix does not answer at {self._prefix.partition('/api/')[0]}: {error or type(error).__name__}.",
                code=UNREACHABLE,
                advice="Check MATRIX_URL, or start it with `matrix up`.",
            ) from None
        if response.is_error:
            raise _problem(response)
        return response.json() if response.content else {}


@contextmanager
def connected(where: Target | None = None) -> Iterator[MatrixClient]:
    """A client for as long as the context lasts. Errors: as in `target`."""
    where = where or target()
    headers = {"Authorization": f"Bearer {where.api_key}"}
    with httpx2.Client(headers=headers, timeout=httpx2.Timeout(150, connect=5), trust_env=False) as http:
        yield MatrixClient(where, http)


def _problem(response: httpx2.Response) -> MatrixError:
    try:
        body = response.json()
    except ValueError:
        body = {}
    body = body if isinstance(body, dict) else {}
    message = str(body.get("detail") or body.get("title") or f"The server answered {response.status_code}.")
    advice = str(body.get("advice", ""))
    if response.status_code == httpx2.codes.TOO_MANY_REQUESTS:
        wait = response.headers.get("retry-after", "")
        return TooManyRequests(message, retry_after=int(wait) if wait.isdecimal() else 5, advice=advice)
    return MatrixError(message, code=str(body.get("code", "error")), advice=advice)
