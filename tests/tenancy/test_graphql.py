"""Every query, mutation and subscription x roles x what belongs to another organization, generated from the committed
schema: the answer is the one for what is not there, and nothing changes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from graphql import (
    GraphQLField,
    GraphQLInputObjectType,
    GraphQLObjectType,
    build_schema,
    get_named_type,
    is_leaf_type,
    is_required_argument,
)

from tests.api.graphql.calls import Graph
from tests.api.graphql.sockets import opened, served
from tests.support.application import Deployment
from tests.support.snapshot import changes, describe, snapshot
from tests.support.stock import ABSENT, SECRET_WORD, Stock
from tests.tenancy.graphql_cases import INPUT_THINGS, MUTATIONS, QUERIES, SUBSCRIPTIONS, Arguments, Thing

pytestmark = pytest.mark.feature("A5", "H1", "H2")
HOW = "See the docstring of tests/tenancy/graphql_cases.py."
SCHEMA = build_schema(Path("graph_schema/schema.graphql").read_text(encoding="utf-8"))
ROOTS: Mapping[str, tuple[GraphQLObjectType | None, Mapping[str, Arguments]]] = {
    "query": (SCHEMA.query_type, QUERIES),
    "mutation": (SCHEMA.mutation_type, MUTATIONS),
    "subscription": (SCHEMA.subscription_type, SUBSCRIPTIONS),
}
ROLES = ("VIEWER", "EDITOR", "OWNER", "API key")
# Answered for the caller alone, whatever the organization.
OUTSIDE = {"me", "organizations", "createOrganization"}
# Administrators' business, or an own thing that is seen but not to be changed: refused before other ids are read.
ROLE_FIRST = {"resetPassword", "deleteUser", "updateUser", "revokeInvitation", "attachKnowledge", "detachKnowledge"}
ROLE_FIRST |= {"setDocumentAudience"}


def field_of(kind: str, name: str) -> GraphQLField:
    root, _ = ROOTS[kind]
    assert root is not None
    field: GraphQLField = root.fields[name]
    return field


FIELDS = [(kind, name) for kind, (_, table) in ROOTS.items() for name in table if kind != "subscription"]
AIMED = [(kind, name) for kind, name in FIELDS if any(isinstance(v, Thing) for v in ROOTS[kind][1][name].values())]


@pytest.mark.parametrize("kind", ROOTS)
def test_every_field_is_aimed_at(kind: str) -> None:
    root, table = ROOTS[kind]
    assert root is not None
    assert set(table) == set(root.fields), f"The schema and the cases differ: {set(table) ^ set(root.fields)}. {HOW}"
    for name, field in root.fields.items():
        given = table[name]
        for argument, definition in field.args.items():
            named = get_named_type(definition.type)
            if is_required_argument(definition):
                assert argument in given, f"{name}.{argument} is needed. {HOW}"
            if named.name == "ID":
                assert isinstance(given.get(argument), Thing), f"What does {name}.{argument} name? {HOW}"
            for inner in ids_in(named):
                assert inner in INPUT_THINGS, f"What does {named.name}.{inner} name? {HOW}"
        assert set(given) <= set(field.args), f"{name} has no {set(given) - set(field.args)}"


def ids_in(type_: object) -> list[str]:
    """The fields of an input object that name things."""
    if not isinstance(type_, GraphQLInputObjectType):
        return []
    return [name for name, field in type_.fields.items() if get_named_type(field.type).name == "ID"]


def selection(field: GraphQLField) -> str:
    named = get_named_type(field.type)
    if is_leaf_type(named):
        return ""
    fields = named.fields if isinstance(named, GraphQLObjectType) else {}
    if "edges" in fields:
        inner = "__typename" if named.name == "EntityTypeConnection" else "id"
        return f"{{ edges {{ node {{ {inner} }} }} }}"
    if "hits" in fields:
        return "{ hits { chunkId text } }"
    return "{ __typename id }" if "id" in fields else "{ __typename }"


def operation(kind: str, name: str, arguments: Mapping[str, object]) -> str:
    field = field_of(kind, name)
    declared = ", ".join(f"${argument}: {field.args[argument].type}" for argument in arguments)
    passed = ", ".join(f"{argument}: ${argument}" for argument in arguments)
    head, call = (f"({declared})", f"({passed})") if arguments else ("", "")
    return f"{kind}{head} {{ {name}{call} {selection(field)} }}"


def values(arguments: Arguments, stock: Stock) -> dict[str, object]:
    """The arguments with a stock's own things: no filters, and no session beside an agent."""
    return {
        name: value_of(value, stock.ids[value.kinds[0]]) if isinstance(value, Thing) else value
        for name, value in arguments.items()
        if not (isinstance(value, Thing) and (value.narrows or (name == "sessionId" and len(arguments) > 1)))
    }


def value_of(thing: Thing, ref: str) -> object:
    return [ref] if thing.many else ref


Call = tuple[dict[str, object], dict[str, object], str, str]


def aimed(arguments: Arguments, ours: Stock, theirs: Stock) -> Iterator[Call]:
    """Each thing in turn foreign, then absent, the others ours; with the two refs."""
    for name, value in arguments.items():
        if isinstance(value, Thing):
            for kind in value.kinds:
                ref, absent = theirs.ids[kind], absent_like(kind)
                own = values(arguments, ours)
                yield {**own, name: value_of(value, ref)}, {**own, name: value_of(value, absent)}, ref, absent


def absent_like(kind: str) -> str:
    return {"email": f"{ABSENT}@example.org", "type": "absent-type"}.get(kind, ABSENT)


def graph(stock: Stock, who: str, org: str | None = None) -> Graph:
    api = stock.key if who == "API key" else stock.tenant.as_(who)
    return Graph(api.deployment, api.headers, org or stock.tenant.slug)


def told(body: object, ref: str) -> str:
    return json.dumps(body, ensure_ascii=False).replace(ref, "…")


def codes(body: Mapping[str, Any]) -> set[str]:
    return {error["extensions"]["code"] for error in body.get("errors", ())}


def nothing_in(data: object) -> bool:
    """No thing was given: null, an empty list, or only empty lists inside."""
    if isinstance(data, dict):
        return all(nothing_in(value) for value in data.values())
    return data is None or data == []


async def unchanged(deployment: Deployment, before: Mapping[str, str], what: object) -> None:
    changed = changes(before, await snapshot(deployment.database))
    assert not changed, f"{what} changed {await describe(deployment.database, changed)}"


@pytest.mark.parametrize(("kind", "name"), AIMED)
async def test_foreign_ids_are_absent(deployment: Deployment, ours: Stock, theirs: Stock, kind: str, name: str) -> None:
    before = await snapshot(deployment.database)
    arguments = ROOTS[kind][1][name]
    for who in ROLES:
        caller = graph(ours, who)
        for foreign, absent, ref, missing in aimed(arguments, ours, theirs):
            got = await caller.run(operation(kind, name, foreign), **foreign)
            nothing = await caller.run(operation(kind, name, absent), **absent)
            assert told(got, ref) == told(nothing, missing), (who, foreign)
            allowed = {"not_found", "invalid_input"} | ({"not_allowed"} if name in ROLE_FIRST else set())
            assert nothing_in(got["data"]) and codes(got) <= allowed, (who, foreign, got)
    await unchanged(deployment, before, name)


@pytest.mark.parametrize(("kind", "name"), FIELDS)
async def test_a_foreign_organization_is_absent(
    deployment: Deployment, ours: Stock, theirs: Stock, kind: str, name: str
) -> None:
    """Their organization in the header and their ids, with our credentials."""
    before = await snapshot(deployment.database)
    arguments = values(ROOTS[kind][1][name], theirs)
    query = operation(kind, name, arguments)
    for who in ROLES:
        got = await graph(ours, who, theirs.tenant.slug).run(query, **arguments)
        nothing = await graph(ours, who, "no-such-organization").run(query, **arguments)
        assert told(got, theirs.tenant.slug) == told(nothing, "no-such-organization"), who
        assert name in OUTSIDE or (nothing_in(got["data"]) and codes(got) == {"not_found"}), (who, got)
    answer = await Graph(deployment, {}, theirs.tenant.slug).post({"query": query, "variables": arguments})
    assert answer.status_code == 401
    await unchanged(deployment, before, name)


@pytest.mark.parametrize(("kind", "name"), FIELDS)
async def test_lists_hold_nothing_foreign(ours: Stock, theirs: Stock, kind: str, name: str) -> None:
    field = field_of(kind, name)
    if kind != "query" or any(is_required_argument(argument) for argument in field.args.values()):
        return
    for who in ROLES:
        answer = await graph(ours, who).run(operation(kind, name, {}))
        assert "errors" not in answer or codes(answer) == {"not_allowed"}, (who, answer)
        assert not [kind for kind, id_ in theirs.ids.items() if id_ in json.dumps(answer)], (who, answer)


INPUTS = [
    (name, argument, inner)
    for name in MUTATIONS
    for argument, definition in field_of("mutation", name).args.items()
    for inner in ids_in(get_named_type(definition.type))
]


@pytest.mark.parametrize(("name", "argument", "inner"), INPUTS)
async def test_foreign_ids_in_inputs_are_refused_as_unknown(
    deployment: Deployment, ours: Stock, theirs: Stock, name: str, argument: str, inner: str
) -> None:
    before = await snapshot(deployment.database)
    thing, arguments = INPUT_THINGS[inner], values(MUTATIONS[name], ours)
    given = arguments[argument]
    assert isinstance(given, dict)
    for kind in thing.kinds:
        told_of = []
        for ref in (theirs.ids[kind], ABSENT):
            sent = {**arguments, argument: {**given, inner: value_of(thing, ref)}}
            body = await graph(ours, "OWNER").run(operation("mutation", name, sent), **sent)
            assert codes(body) == {"invalid_input"} and body["errors"][0]["extensions"]["field"] == inner, body
            told_of.append(told(body, ref))
        assert told_of[0] == told_of[1]
    await unchanged(deployment, before, (name, inner))


async def test_a_filter_by_a_foreign_document_finds_nothing(ours: Stock, theirs: Stock) -> None:
    query = (
        "query($corpus: String!, $documents: [ID!]!, $mode: SearchMode) { search(knowledgeKeys: [$corpus], "
        f'query: "{SECRET_WORD}", mode: $mode, filters: {{documents: $documents}}) {{ hits {{ chunkId }} }} }}'
    )
    for mode in ("DENSE", "HYBRID"):
        sent = {"corpus": ours.ids["knowledge"], "documents": [theirs.ids["document"]], "mode": mode}
        data = await graph(ours, "OWNER").data(query, **sent)
        assert data["search"]["hits"] == []
        own = await graph(ours, "OWNER").data(query, **{**sent, "documents": [ours.ids["document"]]})
        assert [hit["chunkId"] for hit in own["search"]["hits"]] == [ours.ids["chunk"]]


@pytest.mark.parametrize("name", SUBSCRIPTIONS)
async def test_subscriptions_to_what_is_foreign(deployment: Deployment, ours: Stock, theirs: Stock, name: str) -> None:
    before = await snapshot(deployment.database)
    async with served(deployment.app) as address:
        for api in (ours.tenant.viewer, ours.tenant.owner, ours.key):
            async with opened(address, authorization=api.headers["Authorization"], org=ours.tenant.slug) as line:
                for number, (foreign, absent, ref, missing) in enumerate(aimed(SUBSCRIPTIONS[name], ours, theirs)):
                    got = await _first_error(line, f"f{number}", name, foreign)
                    nothing = await _first_error(line, f"a{number}", name, absent)
                    assert told(got, ref) == told(nothing, missing) and got["extensions"]["code"] == "not_found", got
    await unchanged(deployment, before, name)


async def _first_error(line: Any, number: str, name: str, arguments: dict[str, object]) -> dict[str, Any]:
    """The first error of a subscription; events before it tell nothing but that it began."""
    await line.subscribe(operation("subscription", name, arguments), number, **arguments)
    while True:
        message = await line.next()
        if message.get("id") != number or message["type"] == "complete":
            continue
        payload = message["payload"]
        errors = payload if message["type"] == "error" else payload.get("errors")
        if errors:
            first: dict[str, Any] = errors[0]
            first.pop("path", None)
            return first
        assert payload["data"][name]["__typename"] in {"ChatSession", "ChatFailure"}, payload
