"""The stores about people and credentials, made together: they share one cache, so that a write through one of them is
seen by all at once."""

from __future__ import annotations

from matrix.graph.access import Neo4jAccess
from matrix.graph.access_cache import AccessCache
from matrix.graph.api_keys import Neo4jApiKeys
from matrix.graph.database import Database
from matrix.graph.one_time_links import Neo4jLinks
from matrix.graph.organizations import Neo4jOrganizations
from matrix.graph.sign_ins import Neo4jSignIns
from matrix.graph.users import Neo4jUsers
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
