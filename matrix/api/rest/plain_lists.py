"""Lists that are paged and not filtered: a parameter that they do not know is refused, for who filters by it would take
everything for the few that were meant."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Query, Request

from matrix.errors import UnknownField

PAGING = frozenset({"limit", "cursor"})
Limit = Annotated[int, Query(ge=1, le=100)]


def _only_paging(request: Request) -> None:
    for name in request.query_params:
        if name not in PAGING:
            raise UnknownField(f"This list is not filtered by «{name[:80]}».", field=name[:80])


ONLY_PAGING = Depends(_only_paging)
