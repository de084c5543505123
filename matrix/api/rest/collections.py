"""`/api/orgs/{slug}/{collection}`: the same five calls for entities of every type, the organization's own included."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, status
from pydantic import BaseModel, ConfigDict

from matrix.api.auth.principal import OrgScope
from matrix.api.entities import PAGE, Entities
from matrix.api.rest.entity_json import Json, entity_json, page_json
from matrix.api.rest.shapes.answers import MEMBER, answers, problems
from matrix.api.rest.shapes.entities import Entity, EntityList
from matrix.domain.entities import EntityFilter, Value

RESERVED = {"limit", "cursor", "q"}


class EntityBody(BaseModel):
    """`{"properties": {...}}`; the key of a new entity stands among them."""

    model_config = ConfigDict(extra="forbid")

    properties: dict[str, object]


def collections_router(entities: Entities) -> APIRouter:
    """The generic routes. Mount them last: routes of single collections go before."""
    router = APIRouter(prefix="/api/orgs/{slug}", tags=["entities"], responses=MEMBER)

    @router.get("/{collection}", responses=answers(EntityList))
    async def list_entities(
        slug: str,
        collection: str,
        scope: OrgScope,
        request: Request,
        limit: Annotated[int, Query(ge=1, le=100)] = PAGE,
        cursor: str | None = None,
        q: Annotated[str | None, Query(max_length=200, description="A piece of the name")] = None,
    ) -> Json:
        """Newest first. Any property narrows the list by equality: `?status=FAILED&knowledge=<id>`."""
        page = await entities.list(scope, collection, filter_of(request, q), limit, cursor)
        return page_json(page, slug)

    @router.post("/{collection}", status_code=status.HTTP_201_CREATED, responses=answers(Entity, 405, 409, status=201))
    async def create_entity(slug: str, collection: str, body: EntityBody, scope: OrgScope) -> Json:
        return entity_json(await entities.create(scope, collection, body.properties), slug)

    @router.get("/{collection}/{id_or_key}", responses=answers(Entity))
    async def get_entity(slug: str, collection: str, id_or_key: str, scope: OrgScope) -> Json:
        return entity_json(await entities.get(scope, collection, id_or_key), slug)

    @router.patch("/{collection}/{id_or_key}", responses=answers(Entity, 405, 409))
    async def change_entity(slug: str, collection: str, id_or_key: str, body: EntityBody, scope: OrgScope) -> Json:
        """Changes what is named; null takes a property away."""
        return entity_json(await entities.update(scope, collection, id_or_key, body.properties), slug)

    @router.delete("/{collection}/{id_or_key}", status_code=status.HTTP_204_NO_CONTENT, responses=problems(405, 409))
    async def delete_entity(collection: str, id_or_key: str, scope: OrgScope) -> None:
        await entities.delete(scope, collection, id_or_key)

    return router


def filter_of(request: Request, text: str | None) -> EntityFilter:
    """Every query parameter but those of paging narrows the list."""
    equals: dict[str, Value] = {name: value for name, value in request.query_params.items() if name not in RESERVED}
    return EntityFilter(equals=equals, text=text)
