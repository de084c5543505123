"""How Matrix itself is, and how a model provider is."""

from __future__ import annotations

from typing import Literal

from matrix.api.rest.shapes.shape import Shape


class Health(Shape):
    """The process lives."""

    status: Literal["ok"]
    version: str


class Readiness(Shape):
    """It can serve: the database answers."""

    status: Literal["ready"]


class ProviderTrial(Shape):
    """The provider answered."""

    ok: Literal[True]
    model: str
    reply: str
    """The beginning of what it said."""
