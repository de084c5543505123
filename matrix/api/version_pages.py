"""Pages of a document's versions, newest first. A page begins below the number that its cursor names."""

from __future__ import annotations

from collections.abc import Sequence

from matrix.domain.versions import ListedVersion
from matrix.errors import InvalidInput


def before(cursor: str | None) -> int | None:
    """The number below which a page begins. Errors: InvalidInput."""
    if cursor is None:
        return None
    if not cursor.isascii() or not cursor.isdecimal() or len(cursor) > 9:
        raise InvalidInput(
            "This is no cursor of this list.", field="cursor", advice="Hand back `nextCursor` unchanged."
        )
    return int(cursor)


def page(found: Sequence[ListedVersion], limit: int) -> tuple[tuple[ListedVersion, ...], str | None]:
    """The versions of a page and the cursor of the next, of one more than the page holds."""
    shown = tuple(found[:limit])
    return shown, str(shown[-1].number) if len(found) > limit else None
