"""The one shape in which every entity and every list answers over REST."""

from __future__ import annotations

from datetime import UTC, datetime

from matrix.domain.entities import Entity, Page

Json = dict[str, object]


def entity_json(entity: Entity, org_slug: str) -> Json:
    """An entity of the organization `org_slug`, or a platform's one as it is seen there."""
    return {
        "id": entity.id,
        "entityType": entity.entity_type,
        "key": entity.key,
        "orgSlug": org_slug,
        "properties": dict(entity.properties),
        "createdAt": instant_json(entity.created_at),
        "updatedAt": instant_json(entity.updated_at),
    }


def page_json(page: Page, org_slug: str) -> Json:
    return {"items": [entity_json(entity, org_slug) for entity in page.items], "nextCursor": page.next_cursor}


def instant_json(instant: datetime) -> str:
    """A moment in UTC, to the millisecond: 2026-11-30T12:00:00.000Z."""
    return instant.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
