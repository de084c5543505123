"""Fields that an entity has beside its properties: what hangs below it, and what other stores know about it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import strawberry

from matrix.api.graphql.context import Info
from matrix.api.graphql.operations.entity_queries import list_field
from matrix.api.graphql.types.dynamic_field import Argument, dynamic_field
from matrix.api.graphql.types.objects import ObjectTypes
from matrix.api.graphql.types.retrieval import Citation, SignedLink, ToolRun
from matrix.api.graphql.types.versions import versions_field
from matrix.api.rest.link_scope import holder_of
from matrix.domain.chat import StoredMessage
from matrix.domain.documents import ParsedDocument
from matrix.domain.entities import Entity


def relations(objects: ObjectTypes) -> Mapping[str, Mapping[str, Any]]:
    """By collection, fields by their names."""
    return {
        "knowledge": {"documents": list_field(objects, "documents", "knowledge")},
        "documents": {
            "chunks": list_field(objects, "chunks", "document"),
            "versions": versions_field(),
            "parsed_text": _parsed_text(),
            "download": _download(),
        },
        "agents": {
            "memories": list_field(objects, "memories", "agent"),
            "sessions": list_field(objects, "sessions", "agent"),
        },
        "sessions": {"messages": list_field(objects, "messages", "session")},
        "messages": {
            "citations": dynamic_field(_citations, list[Citation], description="What the answer rests on."),
            "tool_calls": dynamic_field(_tool_calls, list[ToolRun], description="The tools that were used for it."),
        },
    }


@strawberry.type(description="The stretch of the parsed text that a page gave.")
class TextPage:
    number: int
    start: int
    end: int


@strawberry.type(description="A document as it was read: what start and end of passages and citations count in.")
class ParsedText:
    text: str
    title: str | None
    language: str | None
    pages: list[TextPage]


def _parsed_text() -> Any:
    async def resolve(root: Entity, info: Info, version: str | None) -> ParsedDocument:
        return await info.context.services.ingest.parsed(info.context.scope, root.id, version)

    version = Argument("version", strawberry.ID | None, None, "The id of a version; the newest by default.")
    return dynamic_field(resolve, ParsedText | None, [version], "The text as it was read.")


def _download() -> Any:
    async def resolve(root: Entity, info: Info) -> SignedLink:
        await info.context.services.stores.documents.original(info.context.scope, root.id)
        return signed_link(info, "GET", f"/api/orgs/{info.context.slug}/documents/{root.id}/download")

    return dynamic_field(resolve, SignedLink | None, description="Where the original can be fetched.")


def signed_link(info: Info, method: str, path: str) -> SignedLink:
    context = info.context
    link = context.around.signer.sign(method, path, holder_of(context.caller.principal))
    return SignedLink(
        url=context.address.rstrip("/") + link.url,
        method=method,
        expires_at=datetime.fromtimestamp(link.expires, UTC),
    )


async def _citations(root: Entity, info: Info) -> tuple[object, ...]:
    message = await _stored(root, info)
    return message.citations if message else ()


async def _tool_calls(root: Entity, info: Info) -> tuple[object, ...]:
    message = await _stored(root, info)
    return message.tool_runs if message else ()


async def _stored(root: Entity, info: Info) -> StoredMessage | None:
    session = await info.context.messages().load(str(root.properties["session"]))
    return session.get(root.id)
