"""A client of a running Matrix: where it is comes from MATRIX_URL, MATRIX_API_KEY and MATRIX_ORG, or from what `up`
left in the data folder."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from matrix.cli.data_folder import read_run
from matrix.cli.options import settings_in
from matrix.errors import InvalidSettings, MatrixError

Json = dict[str, Any]  # answers of the API, read where they are used


@dataclass(frozen=True, slots=True)
class Target:
    url: str
    api_key: str
    org: str


def target() -> Target:
    """Errors: InvalidSettings when nothing says where Matrix is."""
    url, key = os.environ.get("MATRIX_URL"), os.environ.get("MATRIX_API_KEY")
    run = read_run(settings_in(None).data_dir.resolve())
    if not url and run is None:
        raise InvalidSettings(
            "No Matrix is named and none runs in the data folder.",
            field="MATRIX_URL",
            advice="Start one with `matrix up`, or set MATRIX_URL, MATRIX_API_KEY and MATRIX_ORG.",
        )
    if not key and run is None:
        raise InvalidSettings("MATRIX_API_KEY is not set.", field="MATRIX_API_KEY", advice="Make a key and set it.")
    org = os.environ.get("MATRIX_ORG") or (run.org if run else "default")
    return Target((url or (run.url if run else "")).rstrip("/"), key or (run.api_key if run else ""), org)


class MatrixClient:
    """Calls of one organization's REST API. Errors of the server come back as MatrixError with its code and advice."""

    def __init__(self, where: Target, http: httpx2.Client) -> None:
        self._prefix = f"{where.url}/api/orgs/{where.org}"
        self._http = http

    def get(self, path: str, **query: str | int) -> Json:
        return self._call("GET", path, params={name: str(value) for name, value in query.items()})

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
        except httpx2.HTTPError as error:
            raise MatrixError(
                f"Matrix does not answer: {error}.",
                code="unreachable",
                advice="Check MATRIX_URL, or start it with `matrix up`.",
            ) from None
        if response.is_error:
            raise _problem(response)
        return response.json() if response.content else {}


@contextmanager
def connected() -> Iterator[MatrixClient]:
    """A client for as long as the context lasts."""
    where = target()
    headers = {"Authorization": f"Bearer {where.api_key}"}
    with httpx2.Client(headers=headers, timeout=httpx2.Timeout(150, connect=5), trust_env=False) as http:
        yield MatrixClient(where, http)


def _problem(response: httpx2.Response) -> MatrixError:
    try:
        body = response.json()
    except ValueError:
        body = {}
    message = body.get("detail") or body.get("title") or f"The server answered {response.status_code}."
    return MatrixError(str(message), code=str(body.get("code", "error")), advice=str(body.get("advice", "")))
