"""What an operation may be: its size, the way it comes, what its errors tell, and how it is counted."""

from __future__ import annotations

from dataclasses import replace

import pytest
from structlog.testing import capture_logs

from matrix.api.application import create_application
from tests.api.auth.world import PASSWORD
from tests.api.graphql.calls import Graph, Json, graph_of
from tests.support.application import Deployment
from tests.support.tenants import Tenant

pytestmark = pytest.mark.feature("A5")

NESTED = (
    "{{ knowledges(first: {n}) {{ edges {{ node {{ documents(first: {n}) {{ edges {{ node {{ id }} }} }} }} }} }} }}"
)
DEEP = (
    "{ knowledges(first: 1) { edges { node { documents(first: 1) { edges { node { chunks(first: 1) { edges { node "
    "{ document { knowledge { id } } } } } } } } } } } }"
)
BOMB = (
    "query { ...F0 }"
    + "".join(f" fragment F{n} on Query {{ ...F{n + 1} ...F{n + 1} }}" for n in range(80))
    + " fragment F80 on Query { me { orgSlug } }"
)


@pytest.fixture
def production(deployment: Deployment, tenant: Tenant) -> Graph:
    settings = deployment.services.settings.model_copy(update={"environment": "production"})
    return graph_of(tenant.editor, create_application(replace(deployment.services, settings=settings)))


@pytest.mark.parametrize(
    ("query", "words"),
    [
        (NESTED.format(n=100), "objects"),
        ("query($n: Int!) " + NESTED.format(n="$n"), "objects"),
        ("query($n: Int! = 100) " + NESTED.format(n="$n"), "objects"),
        ("{ " + " ".join(f"a{n}: me {{ orgSlug }}" for n in range(16)) + " }", "aliases"),
        (DEEP, "deep"),
        ("{ " + "me { orgSlug } " * 300 + "}", "token"),
        (BOMB, "objects"),
    ],
)  # fmt: skip
async def test_too_large_operations_are_refused(editor: Graph, query: str, words: str) -> None:
    variables = {"n": 100} if "$n: Int!)" in query else {}
    body = await editor.run(query, **variables)
    assert body.get("data") is None
    messages = " ".join(error["message"] for error in body["errors"])
    assert words in messages.lower(), messages


async def test_fragments_within_fragments_are_measured_once(editor: Graph) -> None:
    levels = 60
    bomb = "query { ...F0 }" + "".join(
        f" fragment F{n} on Query {{ ...F{n + 1} ...F{n + 1} }}" for n in range(levels)
    ) + f" fragment F{levels} on Query {{ x: me {{ orgSlug }} }}"  # fmt: skip
    body = await editor.run(bomb)
    assert "aliases" in body["errors"][0]["message"]


async def test_moderate_lists_within_lists_are_allowed(editor: Graph) -> None:
    await editor.data(NESTED.format(n=20))


async def test_only_post_reaches_it(editor: Graph, deployment: Deployment) -> None:
    async with deployment.client(editor.headers) as client:
        asked = await client.get("/graphql", params={"query": "{ me { orgSlug } }"})
        assert asked.status_code == 405
        assert asked.json()["errors"][0]["extensions"]["code"] == "read_only"
        form = await client.post("/graphql", files={"operations": (None, '{"query": "{ me { orgSlug } }"}')})
        assert form.status_code == 400
    batch = await editor.post([{"query": "{ me { orgSlug } }"}, {"query": "{ me { orgSlug } }"}])
    assert batch.status_code == 400
    assert "errors" in batch.json()
    await editor.refused('subscription { ingestProgress(knowledge: "x") { name } }', "invalid_input")


QUERY = "{ me { orgSlug } }"


@pytest.mark.parametrize(
    "body",
    [
        "x",
        1,
        None,
        [],
        [[[[]]]],
        [1],
        {},
        {"query": 7},
        {"query": ""},
        {"query": QUERY, "variables": 7},
        {"query": QUERY, "variables": [1]},
        {"query": QUERY, "operationName": []},
        {"query": QUERY, "operationName": "Other"},
        {"query": QUERY, "extensions": "x"},
        {"query": f"query A {QUERY} query B {QUERY}"},
        {"query": "fragment F on Query { me { orgSlug } }"},
        {"query": 'subscription { ingestProgress(knowledge: "x") { name } }', "operationName": "Other"},
    ],
)
async def test_broken_requests_are_told_in_the_shape_of_an_answer(editor: Graph, body: object) -> None:
    with capture_logs() as logs:
        answer = await editor.post(body)
    assert answer.status_code == 400, answer.text
    [error] = answer.json()["errors"]
    assert error["extensions"]["code"] == "bad_request" and error["message"] and error["extensions"]["advice"]
    assert logs == []


async def test_a_text_that_is_no_operation_is_an_error_of_its_own(editor: Graph) -> None:
    answer = await editor.post({"query": "{ me"})
    assert (answer.status_code, answer.json()["errors"][0]["extensions"]["code"]) == (200, "invalid_input")


DIGITS = "9" * 4400


@pytest.mark.parametrize(
    ("query", "variables"),
    [
        ("query($n: Int! = " + DIGITS + ") " + NESTED.format(n="$n"), {}),
        (NESTED.format(n=DIGITS), {}),
        (NESTED.format(n="-" + DIGITS), {}),
        ("query($n: Int!) " + NESTED.format(n="$n"), {"n": 10**4000}),
        ("query($n: Int!) " + NESTED.format(n="$n"), {"n": 100.0}),
    ],
)
async def test_numbers_that_are_too_long_to_count(editor: Graph, query: str, variables: Json) -> None:
    with capture_logs() as logs:
        body = await editor.run(query, **variables)
    assert body["errors"][0]["extensions"]["code"] in {"too_large", "invalid_input", "bad_request"}
    assert logs == []


@pytest.mark.parametrize("nested", ["{a" * 330 + "}" * 330, "{ me(x: " + "[" * 480 + "]" * 480 + ") { orgSlug } }"])
async def test_what_nests_deeper_than_the_parser_goes(editor: Graph, nested: str) -> None:
    body = await editor.run(nested)
    assert body["errors"][0]["extensions"]["code"] in {"too_large", "invalid_input"}


@pytest.mark.parametrize(
    "content",
    [
        b"[" * 100_000,
        b"[" * 10_000 + b"]" * 10_000,
        b'{"query": "\xff"}',
        b"not json",
        b"",
        b'{"query": "{ me { orgSlug } }", "variables": {"x": NaN}}',
        b'{"query": "{ me { orgSlug } }", "variables": {"x": ' + b"9" * 5000 + b"}}",
        rb'{"query": "{ me { orgSlug } }", "variables": {"x": "\ud800"}}',
    ],
    ids=lambda content: content[:30],
)
async def test_bodies_that_are_no_json(editor: Graph, deployment: Deployment, content: bytes) -> None:
    async with deployment.client(editor.headers) as client:
        answer = await client.post("/graphql", content=content, headers={"content-type": "application/json"})
        assert (answer.status_code, answer.json()["errors"][0]["extensions"]["code"]) == (400, "bad_request")


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded"])
async def test_what_a_form_of_another_site_could_send_is_refused(
    editor: Graph, deployment: Deployment, kind: str
) -> None:
    async with deployment.client(editor.headers) as client:
        answer = await client.post(
            "/graphql", content=b'{"query": "{ me { orgSlug } }"}', headers={"content-type": kind}
        )
        assert answer.status_code == 400


async def test_a_cookie_needs_its_csrf_token(deployment: Deployment, tenant: Tenant) -> None:
    body = {"query": "{ me { orgSlug } }"}
    async with deployment.client() as client:
        signed_in = await client.post(
            "/api/auth/session", json={"email": tenant.emails["VIEWER"], "password": PASSWORD}
        )
        assert signed_in.status_code == 200, signed_in.text
        refused = await client.post("/graphql", json=body)
        assert (refused.status_code, refused.json()["errors"][0]["extensions"]["code"]) == (403, "csrf")
        token = {"x-csrf-token": signed_in.json()["csrfToken"]}
        assert (await client.post("/graphql", json=body, headers=token)).json()["data"]["me"]["orgSlug"] == tenant.slug


async def test_an_answer_is_no_event_stream(editor: Graph) -> None:
    accepting = {"accept": "application/graphql-response+json, application/json, text/event-stream, multipart/mixed"}
    answer = await editor.post({"query": "{ me { orgSlug } }"}, headers=accepting)
    assert answer.headers["content-type"].startswith("application/json")


@pytest.mark.parametrize("headers", [{}, {"authorization": "Bearer nonsense"}, {"authorization": "Basic eDp5"}])
async def test_strangers_are_told_nothing(deployment: Deployment, headers: dict[str, str]) -> None:
    for query in ("{ me { orgSlug } }", "{ __schema { types { name } } }", "{ nonsense }", "{"):
        answer = await Graph(deployment, headers).post({"query": query})
        assert answer.status_code == 401
        assert answer.json()["errors"][0]["extensions"]["code"] == "not_authenticated"


async def test_a_huge_request_is_read_no_further_than_allowed(deployment: Deployment, tenant: Tenant) -> None:
    small = graph_of(tenant.editor, deployment.with_limits(text_characters=1000))
    answer = await small.post({"query": "{ me { orgSlug } }", "variables": {"x": "y" * 2_000_000}})
    assert (answer.status_code, answer.json()["errors"][0]["extensions"]["code"]) == (413, "too_large")


async def test_introspection_and_suggestions_in_development_alone(editor: Graph, production: Graph) -> None:
    introspect, misspelt = "{ __schema { queryType { name } } }", "{ mee { orgSlug } }"
    assert (await editor.data(introspect))["__schema"]["queryType"]["name"] == "Query"
    await production.refused(introspect, "invalid_input")
    assert "Did you mean" in (await editor.refused(misspelt, "invalid_input"))["message"]
    assert "mean" not in (await production.refused(misspelt, "invalid_input"))["message"]
    wrong = 'mutation { createKnowledge(input: {name: "x", chunkCount: 1}) { id } }'
    assert "mean" not in (await production.refused(wrong, "unknown_field"))["message"]


async def test_the_explorer_is_there_in_development_alone(
    editor: Graph, production: Graph, deployment: Deployment
) -> None:
    async with deployment.client({"accept": "text/html"}) as client:
        page = await client.get("/graphql")
    assert page.status_code == 200 and "<textarea" in page.text
    assert "http://" not in page.text and "https://" not in page.text
    assert "nonce-" in page.headers["content-security-policy"]
    async with deployment.client({"accept": "text/html"}, app=production.app) as client:
        assert (await client.get("/graphql")).status_code == 405


async def test_what_was_sent_is_not_echoed(editor: Graph) -> None:
    query = "mutation($input: CreateModelProviderInput!) { createModelProvider(input: $input) { id } }"
    error = await editor.refused(query, "invalid_input", input={"name": "x", "apiKey": "sk-canary", "kind": "NOWHERE"})
    assert "canary" not in str(error)


@pytest.mark.parametrize(
    ("limit", "query"),
    [
        ("reads_per_minute", "{ me { orgSlug } }"),
        ("writes_per_minute", 'mutation { forget(memory: "x") }'),
        ("chats_per_minute", 'mutation { ask(agent: "x", message: "y") { answer } }'),
    ],
)
async def test_operations_are_counted_as_rest_counts(
    deployment: Deployment, tenant: Tenant, limit: str, query: str
) -> None:
    hurried = graph_of(tenant.viewer, deployment.with_limits(**{limit: 1}))
    first = await hurried.run(query)
    assert all(error["extensions"]["code"] == "not_found" for error in first.get("errors", []))
    error = await hurried.refused(query, "too_many_requests")
    assert error["extensions"]["retryAfter"] >= 1


async def test_each_mutation_of_an_operation_counts(deployment: Deployment, tenant: Tenant) -> None:
    hurried = graph_of(tenant.viewer, deployment.with_limits(writes_per_minute=2))
    fragment = 'fragment F on Mutation { b: forget(memory: "x") c: forget(memory: "y") }'
    three = 'mutation { ...F a: forget(memory: "x") } ' + fragment
    await hurried.refused(three, "too_many_requests")
