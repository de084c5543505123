"""Messages of conversations, with what the generic collection does not know: their citations and tool calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

from fastapi import APIRouter, Query, Request

from matrix.api.auth.principal import OrgScope
from matrix.api.entities import PAGE, Entities
from matrix.api.rest.collections import filter_of
from matrix.api.rest.entity_json import Json, entity_json, page_json
from matrix.api.rest.retrieval_json import citation_json, tool_json
from matrix.api.rest.shapes.answers import MEMBER, answers
from matrix.api.rest.shapes.chat import Message, MessageList
from matrix.api.stored_messages import messages_by_id
from matrix.domain.access import Scope
from matrix.domain.chat import StoredMessage
from matrix.domain.entities import Entity
from matrix.errors import NotFound
from matrix.ports import SessionStore

MESSAGES = "messages"


def messages_router(entities: Entities, sessions: SessionStore) -> APIRouter:
    router = APIRouter(prefix="/api/orgs/{slug}/messages", tags=["chat"], responses=MEMBER)

    @router.get("", responses=answers(MessageList))
    async def list_messages(
        slug: str,
        scope: OrgScope,
        request: Request,
        limit: Annotated[int, Query(ge=1, le=100)] = PAGE,
        cursor: str | None = None,
        q: Annotated[str | None, Query(max_length=200, description="A piece of the text")] = None,
    ) -> Json:
        """Your own, newest first; with `?session=<id>` those of one conversation, as they were said."""
        page = await entities.list(scope, MESSAGES, filter_of(request, q), limit, cursor)
        stored = await _stored(scope, sessions, page.items)
        kept = [_json(item, stored[item.id], slug) for item in page.items if item.id in stored]
        return page_json(page, slug) | {"items": kept}

    @router.get("/{message_id}", responses=answers(Message))
    async def get_message(slug: str, message_id: str, scope: OrgScope) -> Json:
        item = await entities.get(scope, MESSAGES, message_id)
        stored = await _stored(scope, sessions, [item])
        if item.id not in stored:
            raise NotFound(f"There is no message «{message_id[:80]}».")
        return _json(item, stored[item.id], slug)

    return router


async def _stored(scope: Scope, sessions: SessionStore, items: Sequence[Entity]) -> Mapping[str, StoredMessage]:
    """The messages of the sessions that these belong to, by id; none of a session that was deleted meanwhile."""
    found: dict[str, StoredMessage] = {}
    for session in dict.fromkeys(str(item.properties["session"]) for item in items):
        found |= await messages_by_id(sessions, scope, session)
    return found


def _json(item: Entity, stored: StoredMessage, slug: str) -> Json:
    more = {
        "citations": [citation_json(citation) for citation in stored.citations],
        "toolCalls": [tool_json(run) for run in stored.tool_runs],
    }
    return entity_json(item, slug) | {"properties": {**item.properties, **more}}
