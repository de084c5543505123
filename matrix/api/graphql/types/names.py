"""Names in the schema that come from keys of entity types: `model-providers` gives modelProvider and
modelProviders."""

from __future__ import annotations

import re

# Words that are their own plural take an s, so that one and many can be told apart.
_IRREGULAR = {"knowledge": ("knowledge", "knowledges")}
_NAME = re.compile(r"[_A-Za-z][_0-9A-Za-z]*")


def one_and_many(collection: str) -> tuple[str, str]:
    """The names of the fields that give one entity of a collection, and many."""
    if collection in _IRREGULAR:
        return _IRREGULAR[collection]
    first, *others = collection.split("-")
    many = first + "".join(map(capital, others))
    one = f"{many[:-3]}y" if many.endswith("ies") else many.removesuffix("s")
    return one, many


def capital(word: str) -> str:
    return word[:1].upper() + word[1:]


def is_graphql_name(text: str) -> bool:
    return _NAME.fullmatch(text) is not None
