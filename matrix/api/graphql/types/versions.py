"""The versions of a document, as a connection: those of many documents are read together."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import strawberry

from matrix.api import version_pages
from matrix.api.graphql.context import Info
from matrix.api.graphql.types.connections import PAGING, connection, connection_type
from matrix.api.graphql.types.dynamic_field import dynamic_field, field
from matrix.domain.entities import Entity, Page
from matrix.domain.versions import ListedVersion


@strawberry.type(description="A version of a document; an upload of the same name makes the next one.")
class DocumentVersion:
    id: strawberry.ID
    number: int
    serving: bool = strawberry.field(description="Whether searches find this one.")
    original_kept: bool = strawberry.field(description="Whether its bytes are still stored.")
    created_at: datetime
    updated_at: datetime
    media_type: str
    size: int = strawberry.field(description="Bytes.")
    sha256: str
    chunk_count: int | None
    chunks_embedded: int | None
    chunks_reused: int | None
    page_count: int | None
    language: str | None
    title: str | None
    error_code: str | None
    error_reason: str | None
    error_advice: str | None
    warnings: list[str]

    @field()
    @staticmethod
    def status(root: ListedVersion) -> str:
        return root.status.value


def versions_field() -> Any:
    async def resolve(root: Entity, info: Info, first: int, after: str | None) -> Any:
        async def read(limit: int, cursor: str | None) -> Page:
            found = await info.context.versions(limit + 1, version_pages.before(cursor)).load(root.id)
            shown, following = version_pages.page(found, limit)
            items: Any = shown
            return Page(items, following)

        return await connection(read, first, after)

    return dynamic_field(resolve, connection_type(DocumentVersion), PAGING, "Newest first.")
