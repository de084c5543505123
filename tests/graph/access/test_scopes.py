"""Scopes: who gets one, with which role and audiences, and for how long it is believed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from matrix.domain.access import CredentialKind, Principal, Role
from matrix.errors import NotAuthenticated, NotFound
from matrix.graph.access.audiences import ensure_audience, everyone_in
from matrix.graph.access.cache import AccessCache
from matrix.graph.access.stores import access_stores
from matrix.graph.database import Database
from tests.api.auth.world import World, make_world

pytestmark = pytest.mark.feature("H1", "C7")


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(scope="module")
async def world(database: Database) -> World:
    return await make_world(database)


async def principal(world: World, role: str) -> Principal:
    account = await world.access.stores.users.account(world.one.emails[role])
    assert account is not None
    return Principal(user_id=account.id, email=account.email, kind=CredentialKind.PERSON, session_id="s")


@pytest.mark.parametrize("role", list(Role), ids=lambda role: role.name)
async def test_a_member_has_the_role_and_the_whole_organizations_audience(world: World, role: Role) -> None:
    who = await principal(world, role.name)
    scope = await world.access.stores.access.scope_for(who, world.one.slug)
    assert (scope.org_id, scope.user_id, scope.role) == (world.one.org_id, who.user_id, role)
    assert everyone_in(world.one.org_id) in scope.audiences
    assert world.one.org_id in scope.principals


async def test_a_stranger_and_no_organization_are_the_same(world: World) -> None:
    who = await principal(world, "OWNER")
    for slug in (world.two.slug, "no-such-organization", "", "`"):
        with pytest.raises(NotFound) as caught:
            await world.access.stores.access.scope_for(who, slug)
        assert caught.value.message == f"There is no organization «{slug}»."


async def test_a_key_never_acts_above_its_own_role_nor_elsewhere(world: World) -> None:
    person = await principal(world, "OWNER")
    key = replace(person, kind=CredentialKind.API_KEY, org_id=world.one.org_id, max_role=Role.EDITOR)
    assert (await world.access.stores.access.scope_for(key, world.one.slug)).role is Role.EDITOR
    with pytest.raises(NotFound):
        await world.access.stores.access.scope_for(replace(key, org_id=world.two.org_id), world.one.slug)


async def test_a_key_never_acts_above_its_creators_role(world: World) -> None:
    person = await principal(world, "VIEWER")
    key = replace(person, kind=CredentialKind.API_KEY, org_id=world.one.org_id, max_role=Role.OWNER)
    assert (await world.access.stores.access.scope_for(key, world.one.slug)).role is Role.VIEWER


async def test_audiences_by_team_and_by_name(world: World) -> None:
    """A team's audience admits its members alone, and ends with their membership."""
    editor, viewer = await principal(world, "EDITOR"), await principal(world, "VIEWER")
    await world.database.write(
        """
        MATCH (u:User {id: $user})
        CREATE (u)-[:MEMBER_OF]->(:Entity:Team {id: $team, entityType: 'Team', orgId: $org, key: 'crew'})
        """,
        user=editor.user_id,
        org=world.one.org_id,
        team="t" * 32,
    )
    org = world.one.org_id
    team = await world.database.write_together(lambda tx: ensure_audience(tx, org, ["t" * 32]))
    person = await world.database.write_together(lambda tx: ensure_audience(tx, org, [viewer.user_id]))
    access = access_stores(world.database, AccessCache()).access
    seen_by_editor = (await access.scope_for(editor, world.one.slug)).audiences
    seen_by_viewer = (await access.scope_for(viewer, world.one.slug)).audiences
    assert set(seen_by_editor) == {everyone_in(org), team}
    assert set(seen_by_viewer) == {everyone_in(org), person}


async def test_a_scope_is_believed_for_five_seconds_and_no_longer(world: World) -> None:
    clock = Clock()
    access = access_stores(world.database, AccessCache(clock=clock)).access
    who = await principal(world, "EDITOR")
    assert (await access.scope_for(who, world.one.slug)).role is Role.EDITOR
    await set_role(world, who, "VIEWER")
    clock.now += 4.9
    assert (await access.scope_for(who, world.one.slug)).role is Role.EDITOR
    clock.now += 0.2
    assert (await access.scope_for(who, world.one.slug)).role is Role.VIEWER
    await set_role(world, who, "EDITOR")


async def test_a_write_of_this_process_shows_at_once(world: World) -> None:
    stores = access_stores(world.database, AccessCache(clock=Clock()))
    owner, editor = await principal(world, "OWNER"), await principal(world, "EDITOR")
    scope = await stores.access.scope_for(owner, world.one.slug)
    await stores.access.scope_for(editor, world.one.slug)
    await stores.users.change_member(scope, editor.user_id, None, True)
    with pytest.raises(NotFound):
        await stores.access.scope_for(editor, world.one.slug)
    await stores.users.change_member(scope, editor.user_id, None, False)
    assert (await stores.access.scope_for(editor, world.one.slug)).role is Role.EDITOR


async def test_a_refusal_is_not_remembered(world: World) -> None:
    stores = access_stores(world.database, AccessCache(clock=Clock()))
    with pytest.raises(NotAuthenticated):
        await stores.sign_ins.principal("0" * 32)
    who = await principal(world, "EDITOR")
    await world.database.write(
        """
        MATCH (u:User {id: $user})
        CREATE (u)-[:HAS_SIGN_IN]->(:Entity:SignIn {id: $id, orgId: 'platform', entityType: 'SignIn',
          expiresAt: datetime() + duration({hours: 1})})
        """,
        user=who.user_id,
        id="0" * 32,
    )
    assert (await stores.sign_ins.principal("0" * 32)).user_id == who.user_id


async def set_role(world: World, who: Principal, role: str) -> None:
    await world.database.write(
        "MATCH (:User {id: $user})-[m:MEMBER_OF]->(:Organization {slug: $slug}) SET m.role = $role",
        user=who.user_id,
        slug=world.one.slug,
        role=role,
    )
