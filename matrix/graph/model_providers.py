"""Model providers with their sealed keys: the one read of a hidden property."""

from __future__ import annotations

from matrix.domain.access import Scope
from matrix.domain.chat import ModelCredentials
from matrix.errors import NotFound
from matrix.graph.database import Database

READ_CREDENTIALS = """
MATCH (p:Entity:ModelProvider {orgId: $org})
WHERE p.id = $ref OR p.key = $ref
RETURN p.kind AS kind, p.model AS model, p.baseUrl AS baseUrl, p.apiKey AS sealed
ORDER BY p.id = $ref DESC LIMIT 1
"""


class Neo4jModelProviders:
    """ModelProviderStore on the graph."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def credentials(self, scope: Scope, id_or_key: str) -> ModelCredentials:
        """What it takes to call the provider; the key still sealed. Errors: NotFound."""
        row = await self._database.read_one(READ_CREDENTIALS, org=scope.org_id, ref=id_or_key)
        if row is None:
            raise NotFound(f"There is no model provider «{id_or_key}».")
        return ModelCredentials(row["kind"], row["model"], row["baseUrl"], row["sealed"])
