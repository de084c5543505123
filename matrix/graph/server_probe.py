"""Readiness and the first password of an embedded server, over Bolt: the port that `matrix.local_neo4j` asks for."""

from __future__ import annotations

from neo4j import AsyncGraphDatabase
from neo4j.exceptions import DriverError, Neo4jError

from matrix.graph.database import translated_errors

FIRST_PASSWORD = "neo4j"  # noqa: S105  # every new Neo4j has it, and lets one do nothing but change it
CHANGE_PASSWORD = "ALTER CURRENT USER SET PASSWORD FROM $old TO $new"  # noqa: S105  # a statement, not a secret


class BoltProbe:
    """Asks a server that may not be up yet."""

    async def is_ready(self, bolt_uri: str, user: str, password: str) -> bool:
        """True when the server answers a query of this user; False for every reason not to."""
        try:
            async with AsyncGraphDatabase.driver(bolt_uri, auth=(user, password), connection_timeout=2) as driver:
                await driver.execute_query("RETURN 1 AS one", database_="neo4j")
        except (Neo4jError, DriverError, OSError):
            return False
        return True

    async def set_first_password(self, bolt_uri: str, new_password: str) -> None:
        """Errors: InvalidSettings when the first password is not valid any more."""
        passwords = {"old": FIRST_PASSWORD, "new": new_password}
        with translated_errors():
            async with AsyncGraphDatabase.driver(bolt_uri, auth=("neo4j", FIRST_PASSWORD)) as driver:
                await driver.execute_query(CHANGE_PASSWORD, passwords, database_="system")
