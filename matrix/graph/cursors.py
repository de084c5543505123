"""Where the next page of a list begins, as a string that clients hand back and need not understand."""

from __future__ import annotations

import base64
import binascii

from matrix.errors import InvalidInput


def encode_cursor(*parts: str | int) -> str:
    return base64.urlsafe_b64encode("\n".join(str(part) for part in parts).encode()).decode().rstrip("=")


def decode_cursor(cursor: str, parts: int) -> tuple[str, ...]:
    """The parts that `encode_cursor` was given. Errors: InvalidInput."""
    try:
        decoded = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True).decode()
    except (binascii.Error, ValueError):
        decoded = ""
    found = tuple(decoded.split("\n")) if decoded else ()
    if len(found) != parts:
        raise not_a_cursor()
    return found


def not_a_cursor() -> InvalidInput:
    return InvalidInput(
        "The cursor is not one that this list gave.",
        field="cursor",
        advice="Hand back `nextCursor` unchanged, or leave it out to begin at the top.",
    )
