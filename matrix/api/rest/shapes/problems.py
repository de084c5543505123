"""The one shape of every failure."""

from __future__ import annotations

from typing import NotRequired

from matrix.api.rest.shapes.shape import Shape


class Problem(Shape):
    """Why a request failed, and what to do next (RFC 9457)."""

    type: str
    """Always about:blank: `code` tells what kind of problem this is."""
    title: str
    """The name of the status."""
    status: int
    detail: str
    """What is wrong, in a sentence."""
    code: str
    """Stable, for programs: not_found, unknown_field, …; in GraphQL it stands in `extensions`."""
    advice: str
    """What to do next, in a sentence."""
    field: NotRequired[str]
    """The field or parameter that is wrong, where it is one."""
    retryAfter: NotRequired[int]
    """Seconds to wait before another try; the header Retry-After says the same."""
    id: NotRequired[str]
    """Of an unexpected failure: under this id it stands in the log."""
