"""What sessions keep of their messages, for REST and GraphQL alike: citations and tool calls by the message's id."""

from __future__ import annotations

from collections.abc import Mapping

from matrix.domain.access import Scope
from matrix.domain.chat import WHOLE_SESSION, StoredMessage
from matrix.errors import NotFound
from matrix.ports import SessionStore


async def messages_by_id(sessions: SessionStore, scope: Scope, session_id: str) -> Mapping[str, StoredMessage]:
    """The messages of a session; none where it was deleted meanwhile."""
    try:
        history = await sessions.history(scope, session_id, WHOLE_SESSION)
    except NotFound:
        return {}
    return {message.id: message for message in history}
