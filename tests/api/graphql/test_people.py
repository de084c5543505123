"""People, organizations and keys over GraphQL, and which organization an operation is about."""

from __future__ import annotations

from dataclasses import replace

import pytest

from matrix.domain.ids import new_id
from tests.api.auth.world import PASSWORD, bearer
from tests.api.graphql.calls import Graph, graph_of, nodes
from tests.support.application import Deployment
from tests.support.tenants import Tenant

pytestmark = pytest.mark.feature("A5", "H1")

ME = "{ me { user { email platformAdmin } credential orgSlug role memberships { orgSlug role } } }"
NEW_KEY = (
    "mutation($input: CreateApiKeyInput!) { createApiKey(input: $input) { secret apiKey { id name role prefix } } }"
)


async def test_who_asks(editor: Graph, tenant: Tenant) -> None:
    me = (await editor.data(ME))["me"]
    assert me["user"] == {"email": tenant.emails["EDITOR"], "platformAdmin": False}
    assert (me["credential"], me["orgSlug"], me["role"]) == ("PERSON", tenant.slug, "EDITOR")
    assert me["memberships"] == [{"orgSlug": tenant.slug, "role": "EDITOR"}]


async def test_without_a_header_the_only_organization_is_meant(editor: Graph, tenant: Tenant) -> None:
    me = (await replace(editor, org=None).data(ME))["me"]
    assert me["orgSlug"] == tenant.slug


async def test_of_several_organizations_the_first_starts_is_meant(
    deployment: Deployment, tenant: Tenant, other: Tenant
) -> None:
    root = Graph(deployment, deployment.root)
    assert (await root.data(ME))["me"]["orgSlug"] == deployment.first.slug
    assert (await replace(root, org=tenant.slug).data(ME))["me"]["orgSlug"] == tenant.slug


async def test_of_several_others_one_must_be_named(deployment: Deployment, tenant: Tenant, other: Tenant) -> None:
    person = await _member_of_both(tenant, other)
    assert {m["orgSlug"] for m in (await person.data(ME))["me"]["memberships"]} == {tenant.slug, other.slug}
    assert (await person.data(ME))["me"]["orgSlug"] is None
    error = await person.refused("{ knowledges { edges { node { id } } } }", "organization_needed")
    assert "X-Matrix-Org" in error["extensions"]["advice"]
    assert (await replace(person, org=other.slug).data(ME))["me"]["orgSlug"] == other.slug


async def test_no_organization_of_others(editor: Graph, other: Tenant) -> None:
    for slug in (other.slug, "nowhere"):
        await replace(editor, org=slug).refused("{ knowledges { edges { node { id } } } }", "not_found")


async def test_an_api_key_acts_in_its_organization_and_role(
    deployment: Deployment, tenant: Tenant, other: Tenant
) -> None:
    owner = graph_of(tenant.owner)
    made = (await owner.data(NEW_KEY, input={"name": "Script", "role": "VIEWER"}))["createApiKey"]
    assert made["secret"].startswith(made["apiKey"]["prefix"])
    script = Graph(deployment, bearer(made["secret"]))
    me = (await script.data(ME))["me"]
    assert (me["credential"], me["orgSlug"], me["role"]) == ("API_KEY", tenant.slug, "VIEWER")
    create = 'mutation { createKnowledge(input: {name: "x"}) { id } }'
    await script.refused(create, "not_allowed")
    await replace(script, org=other.slug).refused("{ knowledges { edges { node { id } } } }", "not_found")
    listed = nodes((await owner.data("{ apiKeys { edges { node { id prefix properties } } } }"))["apiKeys"])
    assert made["apiKey"]["id"] in [key["id"] for key in listed]
    assert made["secret"] not in str(listed) and "secretHash" not in str(listed)
    await owner.data("mutation($id: ID!) { deleteApiKey(id: $id) }", id=made["apiKey"]["id"])
    answer = await script.post({"query": ME})
    assert (answer.status_code, answer.json()["errors"][0]["extensions"]["code"]) == (401, "not_authenticated")


@pytest.mark.parametrize("wrong", [{"name": ""}, {"name": "x", "expiresAt": "yesterday"}])
async def test_a_wrong_key_is_refused(editor: Graph, wrong: dict[str, str]) -> None:
    await editor.refused(NEW_KEY, "invalid_input", input=wrong)


async def test_an_invitation_is_made_seen_and_taken_back(admin: Graph, tenant: Tenant, deployment: Deployment) -> None:
    email = f"new-{new_id()[-8:]}@example.org"
    invite = (
        "mutation($email: String!, $role: Role!) { createInvitation(email: $email, role: $role) "
        "{ url token link { id email role } } }"
    )
    made = (await admin.data(invite, email=email, role="EDITOR"))["createInvitation"]
    assert made["token"] in made["url"]
    waiting = (await admin.data("{ invitations { id email role } }"))["invitations"]
    assert made["link"] in waiting
    async with deployment.client() as client:
        body = {"token": made["token"], "password": PASSWORD, "name": "New"}
        assert (await client.post("/api/auth/accept", json=body)).status_code == 200
    second = (await admin.data(invite, email=f"x{email}", role="VIEWER"))["createInvitation"]
    await admin.data("mutation($id: ID!) { revokeInvitation(id: $id) }", id=second["link"]["id"])
    assert second["link"] not in (await admin.data("{ invitations { id email role } }"))["invitations"]
    await graph_of(tenant.editor).refused(invite, "not_allowed", email=email, role="VIEWER")
    await graph_of(tenant.editor).refused("{ invitations { id } }", "not_allowed")


async def test_a_member_is_promoted_reset_and_let_go(admin: Graph, tenant: Tenant) -> None:
    person = graph_of(await tenant.another("VIEWER"))
    email = (await person.data(ME))["me"]["user"]["email"]
    user = (await admin.data("query($id: ID!) { user(id: $id) { id email role } }", id=email))["user"]
    assert (user["email"], user["role"]) == (email, "VIEWER")
    change = "mutation($id: ID!, $input: UpdateUserInput!) { updateUser(id: $id, input: $input) { role suspended } }"
    changed = await admin.data(change, id=user["id"], input={"role": "EDITOR"})
    assert changed["updateUser"] == {"role": "EDITOR", "suspended": False}
    reset = await admin.data("mutation($user: String!) { resetPassword(user: $user) { url token } }", user=email)
    assert reset["resetPassword"]["token"] in reset["resetPassword"]["url"]
    await graph_of(tenant.editor).refused(change, "not_allowed", id=user["id"], input={"role": "OWNER"})
    await admin.data("mutation($id: ID!) { deleteUser(id: $id) }", id=user["id"])
    await admin.refused("query($id: ID!) { user(id: $id) { id } }", "not_found", id=user["id"])


async def test_teams_have_members(admin: Graph, tenant: Tenant) -> None:
    viewer = await tenant.user_id("VIEWER")
    made = await admin.data(
        "mutation($input: CreateTeamInput!) { createTeam(input: $input) { key members { id email } } }",
        input={"name": "Legal", "key": f"legal-{new_id()[-8:]}", "members": [viewer]},
    )
    assert made["createTeam"]["members"] == [{"id": viewer, "email": tenant.emails["VIEWER"]}]
    users = nodes((await admin.data("{ users(first: 100) { edges { node { email } } } }"))["users"])
    assert {user["email"] for user in users} >= set(tenant.emails.values())


async def test_organizations_are_made_by_the_platform_alone(deployment: Deployment, tenant: Tenant) -> None:
    slug = f"made-{new_id()[-8:]}"
    create = 'mutation($slug: String!) { createOrganization(slug: $slug, name: "Made") { id slug name } }'
    await graph_of(tenant.owner).refused(create, "not_allowed", slug=slug)
    root = Graph(deployment, deployment.root)
    assert (await root.data(create, slug=slug))["createOrganization"]["slug"] == slug
    there = replace(root, org=slug)
    renamed = await there.data('mutation { updateOrganization(name: "Other") { name } }')
    assert renamed["updateOrganization"] == {"name": "Other"}
    listed = nodes((await root.data("{ organizations(first: 100) { edges { node { slug } } } }"))["organizations"])
    assert {"slug": slug} in listed
    assert await there.data("mutation { deleteOrganization }") == {"deleteOrganization": True}
    first = replace(root, org=deployment.first.slug)
    await first.refused("mutation { deleteOrganization }", "first_organization")


async def _member_of_both(tenant: Tenant, other: Tenant) -> Graph:
    person = graph_of(await tenant.another("VIEWER"))
    email = (await person.data(ME))["me"]["user"]["email"]
    made = await graph_of(other.owner).data(
        "mutation($email: String!) { createInvitation(email: $email) { token } }", email=email
    )
    async with tenant.deployment.client() as client:
        body = {"token": made["createInvitation"]["token"], "password": PASSWORD}
        assert (await client.post("/api/auth/accept", json=body)).status_code == 200
    return replace(person, org=None)
