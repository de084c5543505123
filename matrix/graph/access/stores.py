"""The stores about people and credentials, made together: they share one cache, so that a write through one of them is
seen by all at once."""

from __future__ import annotations

from matrix.graph.access.api_keys import Neo4jApiKeys
from matrix.graph.access.cache import AccessCache
from matrix.graph.access.one_time_links import Neo4jLinks
from matrix.graph.access.organizations import Neo4jOrganizations
from matrix.graph.access.scopes import Neo4jAccess
from matrix.graph.access.sign_ins import Neo4jSignIns
from matrix.graph.access.users import Neo4jUsers
from matrix.graph.database import Database
from matrix.ports import AccessStores


def access_stores(database: Database, cache: AccessCache) -> AccessStores:
    return AccessStores(
        access=Neo4jAccess(database, cache),
        users=Neo4jUsers(database, cache),
        organizations=Neo4jOrganizations(database, cache),
        links=Neo4jLinks(database, cache),
        sign_ins=Neo4jSignIns(database, cache),
        api_keys=Neo4jApiKeys(database, cache),
    )
