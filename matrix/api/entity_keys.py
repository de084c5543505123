"""Keys made of names: for who names a thing and gives it no key. A name that is used twice gives two keys."""

from __future__ import annotations

import re
import secrets
import unicodedata

from matrix.domain.entities import check_key

LONGEST = 63  # characters, as in `check_key`
SUFFIX_BYTES = 3


def key_from(name: str, otherwise: str) -> str:
    """A key that says what the name says: «Product Handbook» gives product-handbook. Where letters of other scripts
    have no place in a key, the rest is told apart by chance: «日本 2» gives `otherwise`-2-3fa94c."""
    folded = unicodedata.normalize("NFKD", name.casefold())
    plain = re.sub(r"[^a-z0-9]+", "-", folded.encode("ascii", "ignore").decode()).strip("-")
    key = plain if plain[:1].isalpha() else f"{otherwise}-{plain}".strip("-")
    lost = any(char.isalnum() and not char.isascii() for char in folded)
    return told_apart(key) if lost else check_key(key[:LONGEST].rstrip("-"))


def told_apart(key: str) -> str:
    """The key with an ending that nobody else has."""
    ending = secrets.token_hex(SUFFIX_BYTES)
    return check_key(f"{key[: LONGEST - len(ending) - 1].rstrip('-')}-{ending}")
