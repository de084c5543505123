"""The first start's organization, administrator and key: made once, kept ever after."""

from __future__ import annotations

import asyncio

import pytest

from matrix.domain.accounts import new_api_key_secret, secret_hash
from matrix.domain.ids import new_id
from matrix.errors import Conflict, InvalidInput
from matrix.graph.access.cache import AccessCache
from matrix.graph.access.first_start import FirstOrganization, ensure_first_organization
from matrix.graph.access.stores import access_stores
from matrix.graph.database import Database
from tests.api.auth.world import PASSWORD, cheap_passwords

pytestmark = pytest.mark.feature("H1", "A6")


async def ensure(database: Database, run: str, **more: str) -> FirstOrganization:
    values = {"slug": f"org-{run}", "admin_email": f"admin@{run}.example", "admin_password": PASSWORD, **more}
    return await ensure_first_organization(database, cheap_passwords(), **values)


async def test_who_signs_in_afterwards_is_owner_and_administrator_of_the_platform(database: Database) -> None:
    run = new_id()[-8:]
    first = await ensure(database, run)
    stores = access_stores(database, AccessCache())
    principal = await stores.api_keys.principal(secret_hash(first.api_key))
    assert principal.platform_admin
    scope = await stores.access.scope_for(principal, first.slug)
    assert scope.role.name == "OWNER"
    assert scope.audiences
    account = await stores.users.account(f"admin@{run}.example")
    assert account is not None
    assert await cheap_passwords().verify(PASSWORD, account.password_hash)


async def test_starting_again_changes_nothing(database: Database) -> None:
    run = new_id()[-8:]
    key = new_api_key_secret()
    first = await ensure(database, run, api_key=key)
    before = await snapshot(database, run)
    again = await ensure(database, run, api_key=key, admin_password="quite another password", name="Other")
    assert again == first
    assert await snapshot(database, run) == before


async def test_two_starts_at_once_make_one(database: Database) -> None:
    run, key = new_id()[-8:], new_api_key_secret()
    results = await asyncio.gather(*(ensure(database, run, api_key=key) for _ in range(3)))
    assert len(set(results)) == 1
    rows = await database.read("MATCH (:User)-[m:MEMBER_OF]->(:Organization {slug: $s}) RETURN m", s=f"org-{run}")
    assert len(rows) == 1


async def test_a_key_that_was_deleted_is_made_again(database: Database) -> None:
    run, key = new_id()[-8:], new_api_key_secret()
    first = await ensure(database, run, api_key=key)
    await database.write("MATCH (k:ApiKey {secretHash: $hash}) DETACH DELETE k", hash=secret_hash(key))
    await ensure(database, run, api_key=key)
    principal = await access_stores(database, AccessCache()).api_keys.principal(secret_hash(key))
    assert principal.org_id == first.org_id


async def test_a_key_of_another_organization_is_refused(database: Database) -> None:
    key = new_api_key_secret()
    await ensure(database, new_id()[-8:], api_key=key)
    with pytest.raises(Conflict):
        await ensure(database, new_id()[-8:], api_key=key)


@pytest.mark.parametrize(
    ("name", "value"),
    [("admin_password", "short"), ("admin_email", "nobody"), ("slug", "No Slug"), ("api_key", "hunter2")],
)
async def test_what_is_wrong_is_named(database: Database, name: str, value: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        await ensure(database, new_id()[-8:], **{name: value})
    assert caught.value.field in {name, "email"}


async def snapshot(database: Database, run: str) -> list[object]:
    rows = await database.read(
        """
        MATCH (o:Organization {slug: $slug})--(n:Entity)
        OPTIONAL MATCH (n)-[r]->(m)
        RETURN properties(n) AS node, type(r) AS link, properties(r) AS values, m.id AS other, properties(o) AS org
        ORDER BY n.id, link, other
        """,
        slug=f"org-{run}",
    )
    return [dict(row) for row in rows]
