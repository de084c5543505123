"""How deep an HTML file nests its elements, found by one pass over its tags before any parser builds a tree of them:
a hundred thousand nested elements take a tree builder seconds."""

from __future__ import annotations

import re

_TAG = re.compile(r"<(?:(!--)|(/?)([a-zA-Z][a-zA-Z0-9:-]*))")
_VOID = frozenset(
    "area base br col embed hr img input link meta param source track wbr frame keygen basefont bgsound".split()  # noqa: SIM905  # shorter to read
)
# Their next of kin, or the end of what they stand in, closes them: unclosed ones do not nest.
_CLOSED_BY_OTHERS = frozenset(
    "p li dt dd option optgroup tr td th tbody thead tfoot colgroup rp rt body html head".split()  # noqa: SIM905  # shorter to read
)
_RAW = frozenset(
    "script style textarea title xmp iframe noembed noframes".split()  # noqa: SIM905  # shorter to read
)


def too_deeply_nested(markup: str, limit: int) -> bool:
    """Whether more than `limit` elements are open at once anywhere; those that HTML closes by itself do not count."""
    open_tags: list[str] = []
    position = 0
    while match := _TAG.search(markup, position):
        comment, closing, name = match.groups()
        position = match.end()
        if comment:
            position = _after(markup, "-->", position)
            continue
        name = name.lower()
        if closing:
            _close(open_tags, name)
        elif name in _RAW:
            position = _after(markup, f"</{name}", position)
        elif name not in _VOID and name not in _CLOSED_BY_OTHERS:
            if name == "a":  # a link cannot stand in a link: a second one closes the first
                _close(open_tags, name)
            open_tags.append(name)
            if len(open_tags) > limit:
                return True
    return False


def _close(open_tags: list[str], name: str) -> None:
    """Closes the innermost element of that name, with all that was left open inside it."""
    for index in range(len(open_tags) - 1, -1, -1):
        if open_tags[index] == name:
            del open_tags[index:]
            return


def _after(markup: str, end: str, position: int) -> int:
    found = markup.find(end, position)
    if found < 0 and end != "-->":
        found = markup.find(end.upper(), position)
    return found + len(end) if found >= 0 else len(markup)
