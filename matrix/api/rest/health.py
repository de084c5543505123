"""`/health` says that the process lives; `/ready` that it can serve: the database answers. Both by HEAD as well, as
many that watch servers ask."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from fastapi import APIRouter

from matrix import __version__
from matrix.api.rest.shapes.answers import PUBLIC, answers
from matrix.api.rest.shapes.operations import Health, Readiness


def health_router(check_database: Callable[[], Awaitable[None]]) -> APIRouter:
    router = APIRouter(tags=["operations"])

    @router.head("/health", include_in_schema=False)
    @router.get("/health", name="get_health", responses=answers(Health), openapi_extra=PUBLIC)
    async def health() -> dict[str, str]:
        return {"status": "ok", "version": __version__}

    @router.head("/ready", include_in_schema=False)
    @router.get("/ready", name="get_readiness", responses=answers(Readiness, 503), openapi_extra=PUBLIC)
    async def ready() -> dict[str, str]:
        """503 while the database does not answer."""
        await check_database()
        return {"status": "ready"}

    return router
