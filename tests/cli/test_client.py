from __future__ import annotations

import json
import os
from collections.abc import Callable

import httpx2
import pytest

from matrix.cli import client as module
from matrix.cli.client import MatrixClient, Target, target
from matrix.cli.data_folder import Neo4jRun
from matrix.cli.folder_lock import hold_folder
from matrix.cli.run_file import Run, write_run
from matrix.errors import InvalidSettings, MatrixError, TooManyRequests

LOCAL = "http://127.0.0.1:8080"


@pytest.fixture
def nothing_named(monkeypatch: pytest.MonkeyPatch, tmp_path) -> pytest.MonkeyPatch:
    for name in ("URL", "API_KEY", "ORG"):
        monkeypatch.delenv(f"MATRIX_{name}", raising=False)
    monkeypatch.setenv("MATRIX_DATA_DIR", str(tmp_path))
    return monkeypatch


@pytest.fixture
def running(nothing_named: pytest.MonkeyPatch, tmp_path):
    with hold_folder(tmp_path):
        neo4j = Neo4jRun("bolt://x", None, "neo4j", "p")
        write_run(tmp_path, Run(os.getpid(), LOCAL, "g", "a", "home", "local-key", "e", "p", neo4j))
        yield nothing_named


def test_nothing_named_and_nothing_running(nothing_named: pytest.MonkeyPatch) -> None:
    with pytest.raises(InvalidSettings, match="No Matrix is named"):
        target()


@pytest.mark.feature("A8")
def test_what_runs_in_the_folder_is_the_default(running: pytest.MonkeyPatch) -> None:
    assert target() == Target(LOCAL, "local-key", "home")
    running.setenv("MATRIX_ORG", "other")
    assert target() == Target(LOCAL, "local-key", "other")


def test_the_key_of_the_folder_is_sent_nowhere_else(running: pytest.MonkeyPatch) -> None:
    running.setenv("MATRIX_URL", "https://matrix.example")
    with pytest.raises(InvalidSettings, match="MATRIX_API_KEY"):
        target()
    running.setenv("MATRIX_API_KEY", "theirs")
    assert target() == Target("https://matrix.example", "theirs", "default")


def client(answer: Callable[[httpx2.Request], httpx2.Response]) -> MatrixClient:
    return MatrixClient(Target(LOCAL, "k", "default"), httpx2.Client(transport=httpx2.MockTransport(answer)))


def test_problems_keep_their_code_and_advice() -> None:
    problem = {"detail": "There is no knowledge «x».", "code": "not_found", "advice": "Check the key."}
    with pytest.raises(MatrixError) as caught:
        client(lambda _: httpx2.Response(404, json=problem)).get("/knowledge/x")
    assert (caught.value.message, caught.value.code) == (problem["detail"], "not_found")
    with pytest.raises(MatrixError, match="502"):
        client(lambda _: httpx2.Response(502, text="<html>")).get("/knowledge")
    with pytest.raises(TooManyRequests) as slow:
        client(lambda _: httpx2.Response(429, headers={"retry-after": "7"}, json={})).get("/knowledge")
    assert slow.value.retry_after == 7


def test_an_unreachable_server_is_called_that() -> None:
    def refuse(request: httpx2.Request) -> httpx2.Response:
        raise httpx2.ConnectError("refused", request=request)

    with pytest.raises(MatrixError, match="does not answer at http") as caught:
        client(refuse).get("/knowledge")
    assert caught.value.code == module.UNREACHABLE


def test_lists_are_read_to_their_end() -> None:
    pages = {None: {"items": [1, 2], "nextCursor": "c"}, "c": {"items": [3], "nextCursor": None}}
    found = client(lambda request: httpx2.Response(200, content=json.dumps(pages[request.url.params.get("cursor")])))
    assert list(found.get_all("/agents")) == [1, 2, 3]
