"""Relay connections over pages of the stores. A store says where the next page begins; the place of an item inside a
page is that page's beginning and a number of items to pass over."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from strawberry import relay

from matrix.api.entities import LONGEST_PAGE, PAGE
from matrix.api.graphql.types.dynamic_field import Argument
from matrix.domain.entities import Page
from matrix.errors import InvalidInput

PAGING = (
    Argument("first", int, PAGE, f"How many, at most {LONGEST_PAGE}."),
    Argument("after", str | None, None, "The cursor after which to go on."),
)


def connection_type(shape: Any) -> Any:
    """The connection of a type; Strawberry's asks for a global id of its own kind, but does not need one."""
    return relay.Connection[shape]


ReadPage = Callable[[int, str | None], Awaitable[Page]]


async def connection(read: ReadPage, first: int, after: str | None) -> relay.Connection[Any]:
    """`first` items after the cursor. `read(limit, cursor)` gives pages of at most LONGEST_PAGE.

    Errors: InvalidInput (`first`, or a cursor that no list gave).
    """
    if not 1 <= first <= LONGEST_PAGE:
        raise InvalidInput(f"A page holds between 1 and {LONGEST_PAGE} items.", field="first")
    start, skipped = decode_place(after)
    edges: list[relay.Edge[Any]] = []
    while True:
        page = await read(min(skipped + first - len(edges), LONGEST_PAGE), start)
        edges += _edges(page, start, skipped)
        start, skipped = page.next_cursor, 0
        if start is None or len(edges) >= first:
            return _connection(edges, has_next=start is not None, has_previous=after is not None)


def pages_of(items: Sequence[Any]) -> ReadPage:
    """Pages of what is few and comes at once."""

    async def read(limit: int, cursor: str | None) -> Page:
        start = int(cursor) if cursor and cursor.isdecimal() else 0
        end = start + limit
        return Page(tuple(items[start:end]), str(end) if end < len(items) else None)

    return read


def encode_place(start: str | None, skipped: int) -> str:
    return base64.urlsafe_b64encode(f"{skipped}\n{start or ''}".encode()).decode().rstrip("=")


def decode_place(cursor: str | None) -> tuple[str | None, int]:
    if cursor is None:
        return None, 0
    try:
        decoded = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True).decode()
    except (binascii.Error, ValueError):
        decoded = ""
    skipped, _, start = decoded.partition("\n")
    if not skipped.isdecimal() or not int(skipped) <= LONGEST_PAGE:
        raise InvalidInput(
            "This is no cursor of this list.", field="after", advice="Hand back `pageInfo.endCursor` unchanged."
        )
    return start or None, int(skipped)


def _edges(page: Page, start: str | None, skipped: int) -> list[relay.Edge[Any]]:
    """The last item of a page that is not the last one is placed where the next page begins."""
    last = len(page.items) - 1
    return [
        relay.Edge(cursor=_cursor(page, start, number, number == last), node=item)
        for number, item in enumerate(page.items)
        if number >= skipped
    ]


def _cursor(page: Page, start: str | None, number: int, last: bool) -> str:
    return encode_place(page.next_cursor, 0) if last and page.next_cursor else encode_place(start, number + 1)


def _connection(edges: list[relay.Edge[Any]], has_next: bool, has_previous: bool) -> relay.Connection[Any]:
    return relay.Connection(
        edges=edges,
        page_info=relay.PageInfo(
            has_next_page=has_next,
            has_previous_page=has_previous,
            start_cursor=edges[0].cursor if edges else None,
            end_cursor=edges[-1].cursor if edges else None,
        ),
    )
