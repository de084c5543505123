"""A chat as its tests ask, and read what comes back."""

from __future__ import annotations

from tests.support.events import read_events
from tests.support.tenants import Json, Tenant

ALLOWANCE = "The daily allowance abroad is 48 euros."
SAID = "ANSWERABLE: yes\nThe daily allowance abroad is 48 euros [1]."
UNKNOWN = "ANSWERABLE: no\n"


async def chat(tenant: Tenant, agent: str, message: str, **body: object) -> Json:
    return await tenant.viewer.ok("POST", f"agents/{agent}/chat", json={"message": message, **body})


async def events(tenant: Tenant, path: str, **body: object) -> list[tuple[str, Json]]:
    answer = await tenant.viewer.call("POST", path, json={**body, "stream": True})
    assert answer.status_code == 200, answer.text
    assert (
        answer.headers["content-type"].startswith("text/event-stream") and answer.headers["cache-control"] == "no-store"
    )
    return read_events(answer.text)
