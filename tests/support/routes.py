"""Every route of an application, those that the documentation hides too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fastapi import FastAPI

Route = tuple[str, str]  # method (or MOUNT, WEBSOCKET) and path


def routes_of(app: FastAPI) -> set[Route]:
    """HEAD and OPTIONS are left out: they do what GET does, or nothing."""
    return {found for route in app.routes for found in _routes(route)}


def _routes(route: Any) -> Iterator[Route]:
    contexts = getattr(route, "effective_route_contexts", None)
    if contexts is not None:  # a router that was included
        for context in contexts():
            yield from _one(context.starlette_route or context, context.original_route)
    else:
        yield from _one(route, route)


def _one(route: Any, original: Any) -> Iterator[Route]:
    methods = getattr(route, "methods", None)
    if methods is None:
        yield "WEBSOCKET" if "WebSocket" in type(original).__name__ else "MOUNT", route.path
    else:
        yield from ((method, route.path) for method in methods if method not in {"HEAD", "OPTIONS"})
