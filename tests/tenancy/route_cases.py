"""How each REST route is aimed at what belongs to somebody else.

A route that is not here fails `test_routes.py`. To add one: name it by method and path, say for each of its parameters
which kind of thing of `tests/support/stock.py` stands there (put a new kind of thing into the stock), and give a body
with which the route would succeed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

ORG = "/api/orgs/{slug}"
FILE = {"file": ("theirs.md", b"# Planted")}


@dataclass(frozen=True, slots=True)
class Case:
    """`kinds` by parameter: any of these things is tried there; `request` is what makes the call a good one."""

    kinds: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    request: Mapping[str, Any] = field(default_factory=dict)


def _json(body: object) -> Mapping[str, Any]:
    return {"json": body}


KNOWLEDGE, AGENT = ("knowledge", "knowledge key"), ("agent", "agent key")
DOCUMENT = {"document_id": ("document",)}

CASES: Mapping[tuple[str, str], Case] = {
    ("GET", ORG): Case(),
    ("PATCH", ORG): Case(request=_json({"name": "Stolen"})),
    ("DELETE", ORG): Case(),
    ("GET", f"{ORG}/invitations"): Case(),
    ("POST", f"{ORG}/invitations"): Case(request=_json({"email": "thief@example.org", "role": "OWNER"})),
    ("DELETE", f"{ORG}/invitations/{{invitation_id}}"): Case({"invitation_id": ("invitation",)}),
    ("GET", f"{ORG}/users"): Case(),
    ("GET", f"{ORG}/users/{{id_or_email}}"): Case({"id_or_email": ("user", "email")}),
    ("PATCH", f"{ORG}/users/{{id_or_email}}"): Case(
        {"id_or_email": ("user", "email")}, _json({"properties": {"role": "EDITOR"}})
    ),
    ("DELETE", f"{ORG}/users/{{id_or_email}}"): Case({"id_or_email": ("user", "email")}),
    ("POST", f"{ORG}/users/{{id_or_email}}/reset"): Case({"id_or_email": ("user", "email")}),
    ("GET", f"{ORG}/api-keys"): Case(),
    ("POST", f"{ORG}/api-keys"): Case(request=_json({"properties": {"name": "Theirs"}})),
    ("GET", f"{ORG}/api-keys/{{key_id}}"): Case({"key_id": ("api key",)}),
    ("DELETE", f"{ORG}/api-keys/{{key_id}}"): Case({"key_id": ("api key",)}),
    ("POST", f"{ORG}/knowledge/{{id_or_key}}/files"): Case({"id_or_key": KNOWLEDGE}, {"files": FILE}),
    ("POST", f"{ORG}/knowledge/{{id_or_key}}/texts"): Case(
        {"id_or_key": KNOWLEDGE}, _json({"title": "Planted", "text": "Words."})
    ),
    ("POST", f"{ORG}/knowledge/{{id_or_key}}/search"): Case({"id_or_key": KNOWLEDGE}, _json({"query": "secret"})),
    ("POST", f"{ORG}/knowledge/{{id_or_key}}/chat"): Case({"id_or_key": KNOWLEDGE}, _json({"message": "The word?"})),
    ("DELETE", f"{ORG}/knowledge/{{id_or_key}}"): Case({"id_or_key": KNOWLEDGE}),
    ("GET", f"{ORG}/messages"): Case(),
    ("GET", f"{ORG}/messages/{{message_id}}"): Case({"message_id": ("message",)}),
    ("GET", f"{ORG}/documents/{{document_id}}/download"): Case(DOCUMENT),
    ("GET", f"{ORG}/documents/{{document_id}}/text"): Case(DOCUMENT),
    ("GET", f"{ORG}/documents/{{document_id}}/versions"): Case(DOCUMENT),
    ("PATCH", f"{ORG}/documents/{{document_id}}"): Case(DOCUMENT, _json({"properties": {"name": "stolen.md"}})),
    ("DELETE", f"{ORG}/documents/{{document_id}}"): Case(DOCUMENT),
    ("POST", f"{ORG}/documents/{{document_id}}/retry"): Case(DOCUMENT),
    ("POST", f"{ORG}/documents/{{document_id}}/reprocess"): Case(DOCUMENT),
    ("POST", f"{ORG}/documents/{{document_id}}/cancel"): Case(DOCUMENT),
    ("PUT", f"{ORG}/documents/{{document_id}}/audience"): Case(DOCUMENT, _json({"everyone": True})),
    ("GET", f"{ORG}/receipts/{{receipt_id}}"): Case({"receipt_id": ("receipt",)}),
    ("POST", f"{ORG}/agents/{{id_or_key}}/chat"): Case({"id_or_key": AGENT}, _json({"message": "The word?"})),
    ("PUT", f"{ORG}/agents/{{agent}}/knowledge/{{knowledge}}"): Case({"agent": AGENT, "knowledge": KNOWLEDGE}),
    ("DELETE", f"{ORG}/agents/{{agent}}/knowledge/{{knowledge}}"): Case({"agent": AGENT, "knowledge": KNOWLEDGE}),
    ("POST", f"{ORG}/sessions/{{session_id}}/stop"): Case({"session_id": ("session",)}),
    ("POST", f"{ORG}/model-providers/{{id_or_key}}/test"): Case({"id_or_key": ("provider",)}),
    ("GET", f"{ORG}/entity-types"): Case(),
    ("POST", f"{ORG}/entity-types"): Case(request=_json({"properties": {"key": "planted", "name": "Planted"}})),
    ("GET", f"{ORG}/entity-types/{{key}}"): Case({"key": ("type",)}),
    ("PATCH", f"{ORG}/entity-types/{{key}}"): Case({"key": ("type",)}, _json({"properties": {"name": "Stolen"}})),
    ("GET", f"{ORG}/{{collection}}"): Case({"collection": ("type",)}),
    ("POST", f"{ORG}/{{collection}}"): Case({"collection": ("type",)}, _json({"properties": {"name": "Planted"}})),
    # Each collection's own things are tried in COLLECTIONS.
    ("GET", f"{ORG}/{{collection}}/{{id_or_key}}"): Case({"collection": ("type",), "id_or_key": ("custom",)}),
    ("PATCH", f"{ORG}/{{collection}}/{{id_or_key}}"): Case(
        {"collection": ("type",), "id_or_key": ("custom",)}, _json({"properties": {"name": "Stolen"}})
    ),
    ("DELETE", f"{ORG}/{{collection}}/{{id_or_key}}"): Case({"collection": ("type",), "id_or_key": ("custom",)}),
}

# Routes without an organization: they answer for the caller alone, or for anybody.
OUTSIDE = {
    ("GET", "/health"),
    ("GET", "/ready"),
    ("GET", "/"),
    ("GET", "/docs"),
    ("GET", "/docs/start.js"),
    ("MOUNT", "/docs/assets"),
    ("GET", "/openapi.json"),
    ("POST", "/api/auth/login"),
    ("POST", "/api/auth/session"),
    ("POST", "/api/auth/refresh"),
    ("POST", "/api/auth/logout"),
    ("POST", "/api/auth/accept"),
    ("POST", "/api/auth/password"),
    ("GET", "/api/auth/me"),
    ("GET", "/api/orgs"),
    ("POST", "/api/orgs"),
    # Its operations are tried one by one in test_graphql.py.
    ("GET", "/graphql"),
    ("POST", "/graphql"),
    ("WEBSOCKET", "/graphql"),
}

# What stands in each collection. A platform's own type that is missing here fails the test.
COLLECTIONS: Mapping[str, tuple[str, ...]] = {
    "knowledge": KNOWLEDGE,
    "documents": ("document",),
    "chunks": ("chunk",),
    "agents": AGENT,
    "model-providers": ("provider",),
    "memories": ("memory",),
    "sessions": ("session",),
    "messages": ("message",),
    "jobs": ("job",),
    "teams": ("team",),
    "users": ("user", "email"),
    "api-keys": ("api key",),
    "organizations": ("org", "slug"),
    "entity-types": ("type",),
    "tools": ("agent",),  # tools are the platform's; any foreign id stands for them
}
