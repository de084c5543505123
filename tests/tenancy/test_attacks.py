"""Ways to rise above one's organization that go through what organizations share: people's accounts and organizations
are nodes of the platform, and an administrator may add fields to types."""

from __future__ import annotations

import pytest

from tests.api.auth.world import bearer, join
from tests.api.graphql.calls import graph_of
from tests.support.application import Deployment
from tests.support.snapshot import snapshot
from tests.support.stock import Stock
from tests.support.tenants import Api
from tests.tenancy.test_routes import unchanged

pytestmark = pytest.mark.feature("H2")

ESCALATING = ["platformAdmin", "platform_admin", "passwordHash", "email", "role", "suspended", "orgId", "id"]


async def may_make_organizations(api: Api) -> bool:
    answer = await api.call("POST", "/api/orgs", json={"slug": f"risen-{api.slug}"[:60], "name": "Risen"})
    return answer.status_code == 201


@pytest.mark.parametrize("collection", ["users", "organizations"])
@pytest.mark.parametrize("name", ESCALATING)
async def test_no_own_field_reaches_an_account_or_an_organization(
    deployment: Deployment, ours: Stock, collection: str, name: str
) -> None:
    before = await snapshot(deployment.database)
    body = {"properties": {"properties": [{"name": name, "type": "BOOLEAN"}]}}
    await ours.tenant.owner.refused("PATCH", f"entity-types/{collection}", 422, json=body)
    change = (
        "mutation($key: String!, $input: UpdateEntityTypeInput!) { updateEntityType(key: $key, input: $input) { key } }"
    )
    field = {"properties": [{"name": name, "type": "BOOLEAN"}]}
    answer = await graph_of(ours.tenant.owner).run(change, key=collection, input=field)
    assert answer["errors"][0]["extensions"]["code"] in {"invalid_input", "unknown_field"}
    await unchanged(deployment, before, f"{collection}.{name}")


@pytest.mark.parametrize("name", ESCALATING)
async def test_an_administrator_writes_nothing_of_an_account_but_role_and_suspension(
    deployment: Deployment, ours: Stock, name: str
) -> None:
    admin = ours.tenant.admin
    me = await ours.tenant.user_id("ADMIN")
    if name not in {"role", "suspended"}:
        await admin.refused("PATCH", f"users/{me}", 422, "unknown_field", json={"properties": {name: True}})
    change = (
        'mutation($id: String!, $own: JSON!) { updateEntity(entityType: "users", key: $id, properties: $own) { id } }'
    )
    assert (await graph_of(admin).run(change, id=me, own={name: True}))["errors"]
    own = "mutation($id: ID!, $own: JSON) { updateUser(id: $id, input: {customProperties: $own}) { id } }"
    assert (await graph_of(admin).run(own, id=me, own={name: True}))["errors"]
    assert not await may_make_organizations(admin)
    account = await admin.ok("GET", "/api/auth/me")
    assert account["user"]["platformAdmin"] is False


async def test_an_own_type_called_like_a_built_in_label_is_none_of_them(deployment: Deployment, ours: Stock) -> None:
    for key in ("users", "organizations", "api-keys", "sign-ins"):
        body = {
            "properties": {"key": key, "name": "User", "properties": [{"name": "platformAdmin", "type": "BOOLEAN"}]}
        }
        answer = await ours.tenant.owner.call("POST", "entity-types", json=body)
        if answer.status_code == 201:
            made = await ours.tenant.owner.create(key, platformAdmin=True)
            row = await deployment.database.read_one(
                "MATCH (n:Entity {id: $id}) RETURN labels(n) AS labels, n.platformAdmin AS admin", id=made["id"]
            )
            assert row is not None and row["admin"] is None and "User" not in row["labels"]
    assert not await may_make_organizations(ours.tenant.owner)


@pytest.fixture
async def shared_person(deployment: Deployment, ours: Stock, theirs: Stock) -> tuple[Api, Api, str]:
    """One person in both organizations: their calls in ours and in theirs, and their id."""
    email = ours.tenant.emails["VIEWER"]
    async with deployment.client() as client:
        await join(client, theirs.tenant.slug, deployment.root, email, "VIEWER")
    headers = ours.tenant.viewer.headers
    here, there = (Api(deployment, stock.tenant.slug, headers) for stock in (ours, theirs))
    return here, there, await ours.tenant.user_id("VIEWER")


async def test_what_one_organization_says_of_a_person_the_other_does_not_read(
    ours: Stock, theirs: Stock, shared_person: tuple[Api, Api, str]
) -> None:
    here, there, person = shared_person
    secret = "Codename Xerxes"
    team = await ours.tenant.admin.create("teams", name=secret, members=[person])
    await ours.tenant.admin.ok("PATCH", f"users/{person}", json={"properties": {"role": "EDITOR"}})
    fields = {"properties": {"properties": [{"name": "nickname", "type": "STRING"}]}}
    await ours.tenant.admin.ok("PATCH", "entity-types/knowledge", json=fields)
    for api in (there, theirs.tenant.owner):
        for path in (f"users/{person}", "users", "teams", "entity-types", "knowledge", ""):
            assert secret not in (await api.call("GET", path)).text
        assert "nickname" not in (await api.call("GET", "entity-types/knowledge")).text
        assert (await api.ok("GET", f"users/{person}"))["properties"]["role"] == "VIEWER"
        await api.refused("GET", f"teams/{team['id']}", 404, "not_found")
    assert (await here.ok("GET", f"users/{person}"))["properties"]["role"] == "EDITOR"
    everything = await graph_of(theirs.tenant.owner).run(
        "{ users { edges { node { id name role properties customProperties } } } "
        "organizations { edges { node { name } } } }"
    )
    assert "errors" not in everything and secret not in str(everything)
    [shown] = [one["node"] for one in everything["data"]["users"]["edges"] if one["node"]["id"] == person]
    assert "EDITOR" not in str(shown)
    await ours.tenant.admin.ok("PATCH", f"users/{person}", json={"properties": {"role": "VIEWER"}})


async def test_an_invitation_gives_no_name_to_an_account_that_exists(
    deployment: Deployment, ours: Stock, theirs: Stock
) -> None:
    """Who invites chooses no name; nor does a second invitation change the one that a person gave."""
    email = theirs.tenant.emails["EDITOR"]
    before = (await theirs.tenant.editor.ok("GET", "/api/auth/me"))["user"]["name"]
    link = await ours.tenant.owner.ok("POST", "invitations", 201, json={"email": email, "role": "VIEWER"})
    async with deployment.client() as client:
        body = {"token": link["token"], "password": "not their password", "name": "Renamed by ours"}
        assert (await client.post("/api/auth/accept", json=body)).status_code == 401
    assert (await theirs.tenant.editor.ok("GET", "/api/auth/me"))["user"]["name"] == before
    await ours.tenant.owner.refused("GET", f"users/{email}", 404, "not_found")


async def test_a_token_of_one_organization_shows_no_role_in_another(ours: Stock, theirs: Stock) -> None:
    stranger = Api(ours.tenant.deployment, theirs.tenant.slug, bearer(ours.tenant.tokens["OWNER"]))
    for path in ("", "users", "api-keys", "teams"):
        await stranger.refused("GET", path, 404, "not_found")
