"""Every route x every role x what belongs to another organization: the answer is the one that nothing would get, and
nothing changes. The routes come from the application, the collections from the entity types."""

from __future__ import annotations

import re
from collections.abc import Iterator

import httpx2
import pytest

from matrix.domain.entities import PropertyType, Verb
from matrix.graph.entities.type_files import read_entity_types
from tests.api.auth.world import ROLES
from tests.support.application import Deployment
from tests.support.routes import routes_of
from tests.support.snapshot import Snapshot, changes, describe, snapshot
from tests.support.stock import ABSENT, SECRET_WORD, Stock
from tests.support.tenants import Api, Json
from tests.tenancy.route_cases import CASES, COLLECTIONS, ORG, OUTSIDE, Case

pytestmark = pytest.mark.feature("H1", "H2")
TYPES = read_entity_types()
HOW = "See the docstring of tests/tenancy/route_cases.py."


def test_every_route_is_aimed_at(deployment: Deployment) -> None:
    routes = routes_of(deployment.app)
    assert not (new := routes - CASES.keys() - OUTSIDE), f"Say how these routes are aimed at: {sorted(new)}. {HOW}"
    assert not (gone := CASES.keys() | OUTSIDE - routes) - routes, f"These routes are no more: {sorted(gone - routes)}"
    documented = {
        (method.upper(), path) for path, methods in deployment.app.openapi()["paths"].items() for method in methods
    }
    assert documented <= routes, "routes_of does not see all routes"
    for route, case in CASES.items():
        assert set(re.findall(r"\{(\w+)\}", route[1])) == {"slug", *case.kinds}, f"{route}: parameters. {HOW}"


def test_every_collection_is_aimed_at() -> None:
    assert set(COLLECTIONS) == set(TYPES), f"COLLECTIONS and the type files differ. {HOW}"


def callers(stock: Stock) -> dict[str, Api]:
    return {**{role: stock.tenant.as_(role) for role in ROLES}, "API key": stock.key}


def filled(path: str, slug: str, **places: str) -> str:
    return re.sub(r"\{(\w+)\}", lambda found: slug if found[1] == "slug" else places[found[1]], path)


def told(answer: httpx2.Response, *hidden: str) -> tuple[int, str]:
    """An answer without the ids that the caller named."""
    text = answer.text
    for word in sorted(hidden, key=len, reverse=True):
        text = text.replace(word, "…")
    return answer.status_code, text


async def unchanged(deployment: Deployment, before: Snapshot, what: object) -> None:
    changed = changes(before, await snapshot(deployment.database))
    assert not changed, f"{what} changed {await describe(deployment.database, changed)}"


@pytest.mark.parametrize(("route", "case"), CASES.items(), ids=[" ".join(route) for route in CASES])
async def test_a_foreign_organization_is_absent(
    deployment: Deployment, ours: Stock, theirs: Stock, route: tuple[str, str], case: Case
) -> None:
    """Their slug and their ids, with our credentials: what an organization that is not there would get."""
    before = await snapshot(deployment.database)
    method, path = route
    places = {name: theirs.ids[kinds[0]] for name, kinds in case.kinds.items()}
    for who, api in callers(ours).items():
        foreign = await api.call(method, filled(path, theirs.tenant.slug, **places), **case.request)
        absent = await api.call(method, filled(path, "no-such-organization", **places), **case.request)
        assert foreign.status_code == 404, (who, foreign.text)
        assert told(foreign, theirs.tenant.slug) == told(absent, "no-such-organization"), who
    nobody = Api(deployment, theirs.tenant.slug, {})
    assert (await nobody.call(method, filled(path, theirs.tenant.slug, **places), **case.request)).status_code == 401
    await unchanged(deployment, before, route)


def foreign_places(case: Case, ours: Stock, theirs: Stock) -> Iterator[tuple[dict[str, str], dict[str, str]]]:
    """Each parameter in turn with each of their things, the others ours; beside it the same with what is not there."""
    own = {name: ours.ids[kinds[0]] for name, kinds in case.kinds.items()}
    for name, kinds in case.kinds.items():
        for kind in kinds:
            absent = f"absent-{ABSENT}@example.org" if kind == "email" else ABSENT if kind != "type" else "absent-type"
            yield {**own, name: theirs.ids[kind]}, {**own, name: absent}


@pytest.mark.parametrize(
    ("route", "case"), [item for item in CASES.items() if item[1].kinds], ids=lambda value: str(value)[:70]
)
async def test_foreign_ids_are_absent(
    deployment: Deployment, ours: Stock, theirs: Stock, route: tuple[str, str], case: Case
) -> None:
    """Our slug with an id of theirs in it: the same as an id that nobody has."""
    before = await snapshot(deployment.database)
    method, path = route
    for who, api in callers(ours).items():
        for foreign, absent in foreign_places(case, ours, theirs):
            got = await api.call(method, filled(path, ours.tenant.slug, **foreign), **case.request)
            nothing = await api.call(method, filled(path, ours.tenant.slug, **absent), **case.request)
            assert told(got, *foreign.values()) == told(nothing, *absent.values()), (who, foreign)
            assert got.status_code == 404 or (got.status_code == 403 and role_first(route)), (who, got.text)
    await unchanged(deployment, before, route)


ROLE_FIRST = (f"{ORG}/invitations", f"{ORG}/users", f"{ORG}/agents/{{agent}}/knowledge")


def role_first(route: tuple[str, str]) -> bool:
    """Members and invitations are the administrators' business, and an own agent is seen but not to be changed: a
    role that is too low is refused before any other id is looked at."""
    return route[1].startswith(ROLE_FIRST)


@pytest.mark.parametrize("collection", COLLECTIONS)
async def test_things_of_each_collection_are_absent(
    deployment: Deployment, ours: Stock, theirs: Stock, collection: str
) -> None:
    """Read, changed and deleted by id and by key: 404, or 405 where the collection has no such call for anybody."""
    before = await snapshot(deployment.database)
    for who, api in callers(ours).items():
        for method, verb in (("GET", Verb.READ), ("PATCH", Verb.UPDATE), ("DELETE", Verb.DELETE)):
            for kind in COLLECTIONS[collection]:
                body: Json = {"json": {"properties": {}}} if method == "PATCH" else {}
                foreign, absent = theirs.ids[kind], f"{ABSENT}@example.org" if kind == "email" else ABSENT
                got = await api.call(method, f"{collection}/{foreign}", **body)
                nothing = await api.call(method, f"{collection}/{absent}", **body)
                assert told(got, foreign) == told(nothing, absent), (who, method, kind)
                allowed = {404} if verb in TYPES[collection].verbs else {404, 405}
                if collection == "users" and method != "GET":
                    allowed |= {403}  # see role_first
                if collection == "organizations" and method != "GET":
                    allowed |= {405}  # /api/orgs/{slug} writes them
                assert got.status_code in allowed, (who, method, kind, got.text)
    await unchanged(deployment, before, collection)


@pytest.mark.parametrize("collection", COLLECTIONS)
async def test_lists_hold_nothing_foreign(deployment: Deployment, ours: Stock, theirs: Stock, collection: str) -> None:
    for who, api in callers(ours).items():
        text = (await api.call("GET", f"{collection}?limit=100")).text
        seen = [kind for kind, id_ in theirs.ids.items() if id_ in text]
        assert not seen, f"{who} sees {seen} in {collection}"


LINKS = [(key, p.name, p.target_entity_type or "") for key, t in TYPES.items() for p in t.properties
         if p.type is PropertyType.ENTITY]  # fmt: skip


@pytest.mark.parametrize(("collection", "name", "target"), LINKS)
async def test_a_filter_by_a_foreign_id_finds_nothing(
    ours: Stock, theirs: Stock, collection: str, name: str, target: str
) -> None:
    for kind in COLLECTIONS[target]:
        for who, api in callers(ours).items():
            got = await api.call("GET", f"{collection}?{name}={theirs.ids[kind]}")
            nothing = await api.call("GET", f"{collection}?{name}={ABSENT}")
            assert got.status_code == 200 and got.json()["items"] == [], (who, got.text)
            assert told(got) == told(nothing)


WRITABLE = [
    (key, name, target)
    for key, name, target in LINKS
    if (definition := TYPES[key].definition_of(name)) and definition.writable == "always"
]
NEW: dict[str, Json] = {"agents": {"name": "Planted"}, "teams": {"name": "Planted"}}


@pytest.mark.parametrize(("collection", "name", "target"), WRITABLE)
async def test_a_foreign_id_in_a_body_is_refused_as_unknown(
    deployment: Deployment, ours: Stock, theirs: Stock, collection: str, name: str, target: str
) -> None:
    """422 that names the field, in the words in which an id that nobody has is refused."""
    assert collection in NEW, f"Say what else a new entity in {collection} needs, in NEW."
    before = await snapshot(deployment.database)
    definition = TYPES[collection].definition_of(name)
    assert definition is not None
    own = ours.ids[COLLECTIONS[collection][0]]
    for kind in COLLECTIONS[target]:
        for who, api in (("OWNER", ours.tenant.owner), ("API key", ours.key)):
            for method, path, rest in (("POST", collection, NEW[collection]), ("PATCH", f"{collection}/{own}", {})):
                answers = []
                for ref in (theirs.ids[kind], ABSENT):
                    value = [ref] if definition.multi else ref
                    sent = {"properties": {**rest, name: value}}
                    answers.append(told(await api.call(method, path, json=sent), ref))
                assert answers[0] == answers[1] and answers[0][0] == 422, (who, answers)
                assert f'"field":"{name}"' in answers[0][1].replace(" ", ""), answers
    await unchanged(deployment, before, (collection, name))


async def test_foreign_ids_in_an_own_types_properties(deployment: Deployment, ours: Stock, theirs: Stock) -> None:
    before = await snapshot(deployment.database)
    for method, path in (("POST", ours.ids["type"]), ("PATCH", f"{ours.ids['type']}/{ours.ids['custom']}")):
        for ref in (theirs.ids["knowledge"], theirs.ids["knowledge key"], ABSENT):
            body = {"properties": {"manual": ref}}
            assert (await ours.tenant.owner.refused(method, path, 422, json=body))["field"] == "manual"
    type_body = {"properties": {"key": "spies", "name": "Spy", "properties": [
        {"name": "boat", "type": "ENTITY", "targetEntityType": theirs.ids["type"]}]}}  # fmt: skip
    await ours.tenant.owner.refused("POST", "entity-types", 422, json=type_body)
    await unchanged(deployment, before, "an own type")


async def test_foreign_ids_in_other_bodies(deployment: Deployment, ours: Stock, theirs: Stock) -> None:
    """Audiences, filters, sessions and versions."""
    before = await snapshot(deployment.database)
    owner, own = ours.tenant.owner, ours.ids
    for field, kind in (("teams", "team"), ("users", "user"), ("teams", "org"), ("users", "org")):
        path = f"documents/{own['document']}/audience"
        foreign = await owner.call("PUT", path, json={field: [theirs.ids[kind]]})
        absent = await owner.call("PUT", path, json={field: [ABSENT]})
        assert told(foreign) == told(absent) and foreign.status_code == 422, foreign.text
    for mode in ("DENSE", "HYBRID"):
        body = {"query": SECRET_WORD, "mode": mode, "filters": {"documents": [theirs.ids["document"]]}}
        assert (await owner.ok("POST", f"knowledge/{own['knowledge']}/search", json=body))["hits"] == []
    for path in (f"knowledge/{own['knowledge']}/chat", f"agents/{own['agent']}/chat"):
        for session in (theirs.ids["session"], ABSENT):
            await owner.refused("POST", path, 404, "not_found", json={"message": "?", "sessionId": session})
    for version in (theirs.ids["version"], ABSENT):
        await owner.refused("GET", f"documents/{own['document']}/text?version={version}", 404, "not_found")
    await unchanged(deployment, before, "a body")


async def test_a_search_finds_the_own_passage_only(ours: Stock, theirs: Stock) -> None:
    for stock in (ours, theirs):
        for mode in ("DENSE", "HYBRID"):
            hits = await stock.tenant.viewer.search(stock.ids["knowledge"], SECRET_WORD, mode=mode)
            assert [hit["chunkId"] for hit in hits] == [stock.ids["chunk"]]


async def test_a_cursor_of_theirs_opens_nothing(ours: Stock, theirs: Stock) -> None:
    for n in range(2):
        await theirs.tenant.editor.create("agents", name=f"More {n}")
    page = await theirs.tenant.viewer.ok("GET", "agents?limit=1")
    answer = await ours.tenant.viewer.call("GET", f"agents?cursor={page['nextCursor']}")
    assert not any(id_ in answer.text for id_ in theirs.ids.values())


async def test_the_positive_half(ours: Stock) -> None:
    """The same things are there for those who may see them: the tests above do not pass by accident."""
    for collection, kinds in COLLECTIONS.items():
        if collection != "tools":
            for kind in kinds:
                await ours.tenant.viewer.ok("GET", f"{collection}/{ours.ids[kind]}")
    await ours.tenant.viewer.ok("GET", f"{ours.ids['type']}/{ours.ids['custom']}")
    await ours.tenant.owner.ok("GET", f"receipts/{ours.ids['receipt']}")
    await ours.key.ok("GET", f"documents/{ours.ids['document']}")
