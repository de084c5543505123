"""Every failure is a problem document, and every error class has a row."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import httpx2
import pytest
import structlog
from fastapi import FastAPI
from pydantic import BaseModel, ConfigDict

from matrix import errors
from matrix.api.errors_table import TABLE, answer_with_problems, extensions_of, outcome_of, problem_json
from matrix.errors import MatrixError

pytestmark = pytest.mark.feature("A4")


class Inner(BaseModel):
    model_config = ConfigDict(extra="forbid")
    count: int


class Body(BaseModel):
    model_config = ConfigDict(extra="forbid")
    inner: Inner


def subclasses(of: type[MatrixError]) -> Iterator[type[MatrixError]]:
    yield of
    for child in of.__subclasses__():
        yield from subclasses(child)


ALL = [c for c in subclasses(MatrixError) if c.__module__ == "matrix.errors"]


def make(kind: type[MatrixError]) -> MatrixError:
    if kind is errors.TooManyRequests:
        return errors.TooManyRequests("Slowly.", retry_after=7)
    return kind("What happened.")


def application() -> FastAPI:
    app = FastAPI()
    answer_with_problems(app)

    @app.get("/raise/{name}")
    async def fail(name: str) -> None:
        raise make(getattr(errors, name))

    @app.get("/bug")
    async def bug() -> None:
        password = "canary-password"
        raise RuntimeError("canary-message " + password[:6])

    @app.post("/body")
    async def body(body: Body, number: int = 1) -> None: ...

    return app


@pytest.fixture
async def client() -> AsyncIterator[httpx2.AsyncClient]:
    transport = httpx2.ASGITransport(app=application(), raise_app_exceptions=False)
    async with httpx2.AsyncClient(transport=transport, base_url="http://matrix.test") as client:
        yield client


def test_every_class_has_a_row_of_its_own() -> None:
    assert set(TABLE) == set(ALL)


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
async def test_every_class_answers_with_a_problem(client: httpx2.AsyncClient, kind: type[MatrixError]) -> None:
    answer = await client.get(f"/raise/{kind.__name__}")
    body = answer.json()
    assert answer.status_code == TABLE[kind].status == body["status"]
    assert answer.headers["content-type"] == "application/problem+json"
    assert {"type", "title", "status", "detail", "code", "advice"} <= set(body)
    assert body["code"] and body["advice"] and body["detail"]


def test_a_class_without_a_row_takes_its_parents() -> None:
    class Special(errors.NotFound):
        code = "special"

    assert outcome_of(Special("gone")) == TABLE[errors.NotFound]


def test_rest_and_graphql_share_the_code() -> None:
    error = errors.DocumentError("No.", code="encrypted", advice="Remove the password.")
    assert extensions_of(error) == {"code": "encrypted", "advice": "Remove the password."}
    assert problem_json(error)["code"] == "encrypted"


def test_a_field_is_named_where_known() -> None:
    assert problem_json(errors.InvalidInput("No.", field="name"))["field"] == "name"
    assert "field" not in problem_json(errors.InvalidInput("No."))


@pytest.mark.parametrize(
    ("name", "header", "value"),
    [
        ("TooManyRequests", "retry-after", "7"),
        ("NotAuthenticated", "www-authenticate", "Bearer"),
        ("DatabaseUnavailable", "retry-after", "5"),
        ("ReadOnly", "allow", "GET"),
    ],
)
async def test_headers_that_belong_to_a_status(client: httpx2.AsyncClient, name: str, header: str, value: str) -> None:
    assert (await client.get(f"/raise/{name}")).headers[header] == value


@pytest.mark.parametrize(
    ("body", "field", "code"),
    [
        ({"inner": {"count": "many"}}, "inner.count", "invalid_input"),
        ({"inner": {}}, "inner.count", "invalid_input"),
        ({"inner": {"count": 1, "rank": 2}}, "inner.rank", "unknown_field"),
        ({"inner": {"count": 1}, "id": "mine"}, "id", "unknown_field"),
        ({}, "inner", "invalid_input"),
    ],
)
async def test_a_wrong_request_names_the_field(
    client: httpx2.AsyncClient, body: dict[str, object], field: str, code: str
) -> None:
    answer = await client.post("/body", json=body)
    assert (answer.status_code, answer.json()["field"], answer.json()["code"]) == (422, field, code)


async def test_what_is_no_json_is_a_problem_too(client: httpx2.AsyncClient) -> None:
    answer = await client.post("/body", content=b"{", headers={"Content-Type": "application/json"})
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    assert (await client.post("/body?number=x", json={"inner": {"count": 1}})).json()["field"] == "number"


@pytest.mark.parametrize(("method", "path", "status", "code"), [
    ("GET", "/nowhere", 404, "not_found"), ("DELETE", "/body", 405, "read_only")
])  # fmt: skip
async def test_what_the_framework_refuses_is_a_problem_too(
    client: httpx2.AsyncClient, method: str, path: str, status: int, code: str
) -> None:
    answer = await client.request(method, path)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert answer.headers["content-type"] == "application/problem+json"


async def test_a_bug_says_nothing_of_the_inside_but_an_id_that_the_log_has(client: httpx2.AsyncClient) -> None:
    with structlog.testing.capture_logs() as logs:
        answer = await client.get("/bug")
    assert answer.status_code == 500
    assert "canary" not in answer.text
    assert "RuntimeError" not in answer.text
    (entry,) = logs
    assert entry["error_id"] == answer.json()["id"]
    assert answer.json()["id"] in answer.json()["advice"]
    assert "canary-message canary" in entry["trace"]
    assert "canary-password" not in entry["trace"].replace('password = "canary-password"', "")
