"""/openapi.json describes every answer: the shapes of successes, the problems, the events of a chat. That real answers
are so, every other test proves by the way: tests/support/documented.py holds what it gets against this."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, get_args

import httpx2
import pytest
from jsonschema import Draft202012Validator

from matrix.api.rest.chat import named
from matrix.domain.chat import Answer, Answerable, ChatEvent, Done, Sentence, TextDelta, ToolRun
from tests.support.application import ORIGIN, Deployment
from tests.support.documented import Documentation

pytestmark = pytest.mark.feature("A4")
Json = dict[str, Any]
Operation = tuple[str, Json]  # method and path, and what is said there

WITHOUT_PROBLEMS = {"GET /health"}  # it answers as long as anything does
UNCOUNTED = {  # nobody's rate is spent there
    "GET /health",
    "GET /ready",
    "POST /api/auth/refresh",
    "POST /api/auth/logout",
    "POST /api/orgs/{slug}/knowledge/{id_or_key}/files",
    "POST /api/orgs/{slug}/knowledge/{id_or_key}/texts",
    "GET /api/orgs/{slug}/documents/{document_id}/download",
}
FILE = "GET /api/orgs/{slug}/documents/{document_id}/download"  # whose 200 is of any type
OPEN = {"MessageProperties"}  # shapes that may hold more than they name
CHAT = "/api/orgs/{slug}/agents/{id_or_key}/chat"


@pytest.fixture(scope="module")
def schema(deployment: Deployment) -> Json:
    return deployment.app.openapi()


@pytest.fixture(scope="module")
def operations(schema: Json) -> list[Operation]:
    return [
        (f"{method.upper()} {path}", operation)
        for path, methods in schema["paths"].items()
        for method, operation in methods.items()
    ]


def references(node: object) -> Iterator[str]:
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"].removeprefix("#/components/schemas/")
        for value in node.values():
            yield from references(value)
    elif isinstance(node, list):
        for item in node:
            yield from references(item)


def shapes_of(schema: Json, node: object) -> dict[str, Json]:
    """All shapes that are named in a piece of the description, and in those shapes."""
    found: dict[str, Json] = {}
    waiting = list(references(node))
    while waiting:
        if (name := waiting.pop()) not in found:
            found[name] = schema["components"]["schemas"][name]
            waiting += references(found[name])
    return found


def successes(operation: Json) -> dict[str, Json]:
    return {status: response for status, response in operation["responses"].items() if status < "400"}


def test_every_success_has_a_shape(schema: Json, operations: list[Operation]) -> None:
    for name, operation in operations:
        said = successes(operation)
        assert said, name
        for status, response in said.items():
            assert response["description"] != "Successful Response" or status == "204", name
            if status == "204":
                assert "content" not in response, name
            elif (name, status) != (FILE, "200"):
                answered = response["content"]["application/json"]["schema"]
                assert answered.keys() <= {"$ref", "anyOf"}, (name, answered)
                shapes = [schema["components"]["schemas"][shape] for shape in references(answered)]
                assert shapes and all(shape["properties"] for shape in shapes), (name, answered)


def test_our_shapes_hold_nothing_that_they_do_not_name(schema: Json, operations: list[Operation]) -> None:
    answered = shapes_of(schema, [operation["responses"] for _, operation in operations])
    assert len(answered) > 40
    for name, shape in answered.items():
        if shape["type"] == "object":
            assert shape["additionalProperties"] is (name in OPEN), name


def test_every_route_names_its_problems(operations: list[Operation]) -> None:
    for name, operation in operations:
        refused = {status: response for status, response in operation["responses"].items() if status >= "400"}
        assert refused.keys() >= problems_of(name, operation), (name, problems_of(name, operation) - refused.keys())
        for response in refused.values():
            assert response["content"] == {
                "application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}
            }, name
            assert response["description"]


def problems_of(name: str, operation: Json) -> set[str]:
    """The statuses that a route can fail with for what it is."""
    found = set() if name in WITHOUT_PROBLEMS else {"503"}
    found |= set() if name in UNCOUNTED else {"429"}
    if operation.get("security") != []:
        found |= {"401", "500"}
    if "{slug}" in name:
        found |= {"403", "404", "422"}
    if "requestBody" in operation:
        found |= {"413", "422"}
    if "application/json" in operation.get("requestBody", {}).get("content", {}):
        found |= {"400"}
    if name.startswith(("PUT", "PATCH", "DELETE")):
        found |= {"409"}
    return found


def test_what_is_never_sent_is_not_described(schema: Json, operations: list[Operation]) -> None:
    assert "ValidationError" not in json.dumps(schema)
    used = shapes_of(schema, schema["paths"])
    assert used.keys() == schema["components"]["schemas"].keys()
    assert all(Draft202012Validator.check_schema(shape) is None for shape in used.values())


def test_no_answer_is_checked_against_its_shape_while_matrix_runs(deployment: Deployment) -> None:
    models = [
        getattr(context.original_route, "response_model", None)
        for router in deployment.app.routes
        for context in getattr(router, "effective_route_contexts", list)()
    ]
    assert len(models) > 50 and all(model in (None, dict[str, object], dict[str, str]) for model in models)


def test_names_are_good_for_a_generated_client(schema: Json, operations: list[Operation]) -> None:
    ids = [operation["operationId"] for _, operation in operations]
    assert len(set(ids)) == len(ids) and all(re.fullmatch(r"[a-z]+(_[a-z]+)*", name) for name in ids), ids
    assert {"search_knowledge", "upload_files", "chat_with_agent", "list_entities", "list_document_versions"} <= set(
        ids
    )
    assert all(operation["summary"] for _, operation in operations)
    fields = schema["components"]["schemas"]["Hit"]["properties"]
    assert {"chunkId", "sourceRef", "score"} <= fields.keys() and "title" not in fields["chunkId"]


def test_who_must_sign_in_is_said(schema: Json, operations: list[Operation]) -> None:
    assert schema["security"] == [{"bearer": []}] and "bearer" in schema["components"]["securitySchemes"]
    public = {name for name, operation in operations if operation.get("security") == []}
    assert public == {
        "GET /health",
        "GET /ready",
        "POST /api/auth/login",
        "POST /api/auth/session",
        "POST /api/auth/refresh",
        "POST /api/auth/accept",
    }


def test_files_are_sent_as_multipart(schema: Json) -> None:
    path = schema["paths"]["/api/orgs/{slug}/knowledge/{id_or_key}/files"]["post"]
    assert "file" in path["requestBody"]["content"]["multipart/form-data"]["schema"]["properties"]


@pytest.mark.parametrize("path", [CHAT, "/api/orgs/{slug}/knowledge/{id_or_key}/chat"])
def test_the_events_of_a_chat_are_described(schema: Json, path: str) -> None:
    stream = schema["paths"][path]["post"]["responses"]["200"]["content"]["text/event-stream"]
    answer = Answer("s", "m", "text", True, ())
    events: list[ChatEvent] = [Answerable(True), TextDelta(""), Sentence("", ()), ToolRun("", {}, ""), Done(answer)]
    assert {type(event) for event in events} == set(get_args(ChatEvent))
    sent = {"session", "error"} | {name for event in events for name, _ in named(event)}
    assert stream["x-events"].keys() == sent
    for name in sent:
        assert f"`{name}`" in stream["schema"]["description"]
        assert f"event: {name}" in stream["example"] or name == "error"


# ------------------------------------------------------------- whether the check of all answers would find anything

HIT = {
    "chunkId": "c",
    "documentId": "d",
    "documentName": "a.md",
    "knowledgeId": "k",
    "text": "Words.",
    "context": "",
    "position": 0,
    "chunkCount": 1,
    "score": 1.0,
    "scores": {"dense": 0.5, "denseRank": 1, "keywordRank": None, "fused": 0.1},
    "sourceRef": {"url": None, "page": 1, "sectionPath": [], "start": 0, "end": 6},
}
PROBLEM = {"type": "about:blank", "title": "T", "status": 404, "detail": "D", "code": "c", "advice": "A"}
SEARCH = ("POST", "/api/orgs/acme/knowledge/papers/search")


def answer(method: str, path: str, status: int, body: object, media_type: str = "application/json") -> httpx2.Response:
    content = body.encode() if isinstance(body, str) else json.dumps(body).encode()
    request = httpx2.Request(method, f"{ORIGIN}{path}")
    return httpx2.Response(status, content=content, headers={"content-type": media_type}, request=request)


def test_good_answers_pass_the_check(schema: Json) -> None:
    documentation = Documentation(schema)
    documentation.check(answer(*SEARCH, 200, {"hits": [HIT]}))
    documentation.check(answer(*SEARCH, 404, PROBLEM, "application/problem+json"))
    documentation.check(answer("GET", "/nothing", 404, PROBLEM, "application/problem+json"))
    documentation.check(answer("POST", "/api/orgs/a/agents/b/chat", 200, STREAM, "text/event-stream; charset=utf-8"))
    documentation.check(answer("DELETE", "/api/orgs/acme/agents/guide", 204, ""))


STREAM = 'event: session\ndata: {"sessionId": "s"}\n\n: ping\n\nevent: token\ndata: {"text": "Words."}\n\n'


@pytest.mark.parametrize(
    ("method", "path", "status", "body", "media_type"),
    [
        (*SEARCH, 200, {"hits": [{**HIT, "more": 1}]}, "application/json"),
        (*SEARCH, 200, {"hits": [{**HIT, "score": "1"}]}, "application/json"),
        (*SEARCH, 200, {"hits": [{k: v for k, v in HIT.items() if k != "chunkId"}]}, "application/json"),
        (*SEARCH, 200, {"hits": [{**HIT, "sourceRef": {**HIT["sourceRef"], "Page": 1}}]}, "application/json"),  # type: ignore[dict-item]  # it is one
        (*SEARCH, 200, {"hits": [HIT]}, "text/plain"),
        (*SEARCH, 202, {"hits": [HIT]}, "application/json"),
        (*SEARCH, 418, PROBLEM, "application/problem+json"),
        (*SEARCH, 404, PROBLEM, "application/json"),
        (*SEARCH, 404, {**PROBLEM, "trace": "x"}, "application/problem+json"),
        (*SEARCH, 404, {k: v for k, v in PROBLEM.items() if k != "advice"}, "application/problem+json"),
        ("POST", "/api/orgs/a/agents/b/chat", 200, STREAM.replace("token", "word"), "text/event-stream"),
        ("POST", "/api/orgs/a/agents/b/chat", 200, STREAM.replace("text", "words"), "text/event-stream"),
        ("GET", "/api/nothing", 200, {}, "application/json"),
        ("GET", "/api/nothing", 404, {"detail": "Not Found"}, "application/json"),
        ("DELETE", "/api/orgs/acme/agents/guide", 204, {"gone": True}, "application/json"),
    ],
)
def test_the_check_finds_what_is_not_documented(
    schema: Json, method: str, path: str, status: int, body: object, media_type: str
) -> None:
    with pytest.raises(AssertionError):
        Documentation(schema).check(answer(method, path, status, body, media_type))
