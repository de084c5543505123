"""How each GraphQL field is aimed at what belongs to somebody else.

A field or an argument that is not here fails `test_graphql.py`. To add one: name the field with its arguments. For an
argument that names a thing, give a kind of thing of `tests/support/stock.py` in thing(...), for a filter in
narrowing(...); for any other that it needs, a value with which the field would succeed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Thing:
    """An argument that names things: each of these kinds is tried there. `many`: it is a list. `narrows`: what is not
    there matches nothing, and is no error."""

    kinds: tuple[str, ...]
    many: bool = False
    narrows: bool = False


def thing(*kinds: str, many: bool = False) -> Thing:
    return Thing(kinds, many)


def narrowing(*kinds: str) -> Thing:
    return Thing(kinds, narrows=True)


KNOWLEDGE, AGENT = ("knowledge", "knowledge key"), ("agent", "agent key")
Arguments = Mapping[str, object]

QUERIES: Mapping[str, Arguments] = {
    "search": {"knowledgeKeys": thing(*KNOWLEDGE, many=True), "query": "secret"},
    "me": {},
    "invitations": {},
    "entityType": {"key": thing("type")},
    "entityTypes": {},
    "receipt": {"id": thing("receipt")},
    "agent": {"key": thing(*AGENT)},
    "agents": {"modelProvider": narrowing("provider"), "knowledge": narrowing(*KNOWLEDGE), "tools": narrowing("agent")},
    "chunk": {"id": thing("chunk")},
    "chunks": {"document": narrowing("document"), "knowledge": narrowing(*KNOWLEDGE)},
    "document": {"id": thing("document")},
    "documents": {"knowledge": narrowing(*KNOWLEDGE)},
    "entities": {"entityType": thing("type")},
    "entity": {"id": thing("knowledge", "document", "chunk", "agent", "session", "memory", "custom", "team", "user")},
    "job": {"id": thing("job")},
    "jobs": {"document": narrowing("document")},
    "knowledge": {"key": thing(*KNOWLEDGE)},
    "knowledges": {},
    "memories": {"agent": narrowing(*AGENT)},
    "memory": {"id": thing("memory")},
    "message": {"id": thing("message")},
    "messages": {"session": narrowing("session")},
    "modelProvider": {"key": thing("provider")},
    "modelProviders": {},
    "session": {"id": thing("session")},
    "sessions": {"agent": narrowing(*AGENT), "knowledge": narrowing(*KNOWLEDGE)},
    "team": {"key": thing("team")},
    "teams": {"members": narrowing("user")},
    "tool": {"key": thing("agent")},
    "tools": {},
    "organization": {},
    "organizations": {},
    "user": {"id": thing("user", "email")},
    "users": {},
    "apiKey": {"id": thing("api key")},
    "apiKeys": {},
}

MUTATIONS: Mapping[str, Arguments] = {
    "createUpload": {"knowledge": thing(*KNOWLEDGE)},
    "addText": {"knowledge": thing(*KNOWLEDGE), "title": "Planted", "text": "Words."},
    "retryDocument": {"id": thing("document")},
    "reprocessDocument": {"id": thing("document")},
    "deleteDocument": {"id": thing("document")},
    "deleteKnowledge": {"key": thing(*KNOWLEDGE)},
    "ask": {"agent": thing(*AGENT), "message": "The word?", "sessionId": thing("session")},
    "askKnowledge": {"knowledge": thing(*KNOWLEDGE), "message": "The word?", "sessionId": thing("session")},
    "stopAnswer": {"sessionId": thing("session")},
    "forget": {"memory": thing("memory")},
    "testModelProvider": {"key": thing("provider")},
    "createInvitation": {"email": "thief@example.org"},
    "revokeInvitation": {"id": thing("invitation")},
    "resetPassword": {"user": thing("user", "email")},
    "deleteUser": {"id": thing("user", "email")},
    "deleteApiKey": {"id": thing("api key")},
    "deleteOrganization": {},
    "createEntityType": {"input": {"key": "planted", "name": "Planted"}},
    "updateEntityType": {"key": thing("type"), "input": {"name": "Stolen"}},
    "createEntity": {"entityType": thing("type"), "properties": {"name": "Planted"}},
    "updateEntity": {"entityType": thing("type"), "key": thing("custom"), "properties": {"name": "Stolen"}},
    "deleteEntity": {"entityType": thing("type"), "key": thing("custom")},
    "createAgent": {"input": {"name": "Planted"}},
    "updateAgent": {"key": thing(*AGENT), "input": {"name": "Stolen"}},
    "deleteAgent": {"key": thing(*AGENT)},
    "createKnowledge": {"input": {"name": "Planted"}},
    "updateKnowledge": {"key": thing(*KNOWLEDGE), "input": {"name": "Stolen"}},
    "deleteMemory": {"id": thing("memory")},
    "createModelProvider": {"input": {"name": "Planted", "kind": "LOCAL"}},
    "updateModelProvider": {"key": thing("provider"), "input": {"name": "Stolen"}},
    "deleteModelProvider": {"key": thing("provider")},
    "updateSession": {"id": thing("session"), "input": {"title": "Stolen"}},
    "deleteSession": {"id": thing("session")},
    "createTeam": {"input": {"name": "Planted"}},
    "updateTeam": {"key": thing("team"), "input": {"name": "Stolen"}},
    "deleteTeam": {"key": thing("team")},
    "updateDocument": {"id": thing("document"), "input": {"name": "stolen.md"}},
    "renameDocument": {"id": thing("document"), "name": "stolen.md"},
    "cancelDocument": {"id": thing("document")},
    "setDocumentAudience": {
        "id": thing("document"),
        "teams": thing("team", many=True),
        "users": thing("user", many=True),
    },
    "attachKnowledge": {"agent": thing(*AGENT), "knowledge": thing(*KNOWLEDGE)},
    "detachKnowledge": {"agent": thing(*AGENT), "knowledge": thing(*KNOWLEDGE)},
    "remember": {"agent": thing(*AGENT), "text": "Planted"},
    "createOrganization": {"slug": "planted", "name": "Planted"},
    "updateOrganization": {"name": "Stolen"},
    "updateUser": {"id": thing("user", "email"), "input": {"role": "EDITOR"}},
    "createApiKey": {"input": {"name": "Planted"}},
}

SUBSCRIPTIONS: Mapping[str, Arguments] = {
    "ingestProgress": {"knowledge": thing(*KNOWLEDGE)},
    "chat": {"agent": thing(*AGENT), "message": "The word?", "sessionId": thing("session")},
    "chatKnowledge": {"knowledge": thing(*KNOWLEDGE), "message": "The word?", "sessionId": thing("session")},
}

# What the ids in input objects name, by the field of the input.
INPUT_THINGS: Mapping[str, Thing] = {
    "modelProvider": thing("provider"),
    "knowledge": thing(*KNOWLEDGE, many=True),
    "tools": thing("agent", many=True),
    "members": thing("user", many=True),
    "documents": narrowing("document"),
}
