"""How much text each element of a page holds, and of what sort: what the choice of its article rests on. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from matrix.plugins.parsers.html.tree import Element

FEWEST_LETTERS = 25
MOST_LINKS = 0.5
_PARAGRAPHS = {"p", "pre", "blockquote", "td", "li", "dd", "section", "div", "h2", "h3"}
_INLINE = frozenset("a abbr b cite code em font i mark q small span strong sub sup time u".split())  # noqa: SIM905  # shorter
_SPACES = re.compile(r"\s+")
_COMMAS = re.compile("[,،、，]")


@dataclass(slots=True)
class Measured:
    """An element with what it holds, in letters: all of them, those in links, its own with those of its inline elements
    (`direct`), and those of paragraphs anywhere in it (`prose`). `commas` are those of `direct`."""

    element: Element
    parent: Measured | None
    content: list[Measured | str] = field(default_factory=list)
    letters: int = 0
    linked: int = 0
    direct: int = 0
    prose: int = 0
    commas: int = 0
    votes: float = 0.0

    @property
    def children(self) -> list[Measured]:
        return [child for child in self.content if isinstance(child, Measured)]

    @property
    def link_share(self) -> float:
        return self.linked / self.letters if self.letters else 0.0

    @property
    def is_paragraph(self) -> bool:
        """Text of some length, and not mostly links."""
        return self.direct >= FEWEST_LETTERS and self.element.tag in _PARAGRAPHS and self.link_share <= MOST_LINKS

    def everything(self) -> Iterator[Measured]:
        """The element and all below it, outermost first."""
        yield self
        for child in self.children:
            yield from child.everything()

    def take_text(self, text: str) -> None:
        words = _SPACES.sub(" ", text)
        self.content.append(text)
        self.letters += len(words)
        self.direct += len(words.strip())
        self.commas += len(_COMMAS.findall(words))

    def take(self, child: Measured) -> None:
        self.content.append(child)
        self.letters += child.letters
        self.linked += child.letters if child.element.tag == "a" else child.linked
        self.prose += child.prose
        if child.element.tag in _INLINE:
            self.direct += child.direct
            self.commas += child.commas


def measure(element: Element, parent: Measured | None = None) -> Measured:
    measured = Measured(element, parent)
    for child in element.children:
        if isinstance(child, str):
            measured.take_text(child)
        else:
            measured.take(measure(child, measured))
    if measured.is_paragraph:
        measured.prose += measured.direct
    return measured
