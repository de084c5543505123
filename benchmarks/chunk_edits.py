"""How many embeddings an edit costs: `python -m benchmarks.chunk_edits [word of a shape …]`.

For each shape of document, about 1,000 chunks long at the default sizes: 50 random places, at each one of five edits of
one paragraph (a word changed, words added, rewritten, deleted, a new one inserted), each made to the original
document. Printed: embeddings per edit (mean and most), the same bytes again, how full the chunks are, and characters a
second.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate

from matrix.domain.documents import Block, BlockKind, ChunkingSettings, ParsedDocument, PlacedChunk
from matrix.ingest.chunking import chunk_document, place
from matrix.ingest.diff import split_new

SETTINGS = ChunkingSettings()
PLACES = 50
SYLLABLES = "ka ren to mi sol dur ve nan tel po ri gas bel um or fin sta chu wei lo an tro pel qui"
EDITS = ("a word changed", "words added", "rewritten", "deleted", "one inserted")


@dataclass(frozen=True, slots=True)
class Shape:
    """Paragraphs of `shortest` to `longest` characters; a heading before every `section` of them, or none for 0.
    With `stamp`, every paragraph begins and ends with the same words, as generated documents do."""

    name: str
    shortest: int
    longest: int
    section: int
    stamp: bool = False


SHAPES = (
    Shape("many headings, short paragraphs", 120, 500, 3),
    Shape("many headings, long paragraphs", 900, 2400, 3),
    Shape("few headings, short paragraphs", 120, 500, 60),
    Shape("few headings, long paragraphs", 900, 2400, 20),
    Shape("no headings, short paragraphs", 120, 500, 0),
    Shape("no headings, middling paragraphs", 300, 1200, 0),
    Shape("no headings, long paragraphs", 900, 2400, 0),
    Shape("no headings, paragraphs of pages", 4000, 20000, 0),
    Shape("no headings, stamped paragraphs", 300, 1200, 0, stamp=True),
)
STAMP = "This notice was made by the register and is valid without a signature under the rules of the house. " * 2

Part = tuple[BlockKind, str]


class Writer:
    """Made-up prose with the word frequencies of a language."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        syllables = SYLLABLES.split()
        self.words = ["".join(self.random.choices(syllables, k=self.random.randint(1, 4))) for _ in range(4000)]
        self._weights = list(accumulate(1 / (rank + 2) for rank in range(4000)))

    def sentence(self) -> str:
        words = self.random.choices(self.words, cum_weights=self._weights, k=self.random.randint(6, 25))
        return " ".join(words).capitalize() + "."

    def paragraph(self, shape: Shape) -> str:
        length, sentences = self.random.randint(shape.shortest, shape.longest), [self.sentence()]
        while sum(map(len, sentences)) < length:
            sentences.append(self.sentence())
        text = " ".join(sentences)
        return f"{STAMP}{text} {STAMP}".strip() if shape.stamp else text

    def document(self, shape: Shape, characters: int = 1_500_000) -> list[Part]:
        parts: list[Part] = []
        written = 0
        while written < characters:
            if shape.section and len(parts) % (shape.section + 1) == 0:
                parts.append((BlockKind.HEADING, self.sentence()[:40]))
            parts.append((BlockKind.PARAGRAPH, self.paragraph(shape)))
            written += len(parts[-1][1])
        return parts


def parsed(parts: list[Part]) -> ParsedDocument:
    blocks, start = [], 0
    for kind, text in parts:
        blocks.append(Block(kind, start, start + len(text), level=2 if kind is BlockKind.HEADING else 0))
        start += len(text) + 2
    return ParsedDocument("\n\n".join(text for _, text in parts), tuple(blocks), "text/plain")


def edited(writer: Writer, shape: Shape, parts: list[Part], edit: str) -> list[Part]:
    """The parts with one paragraph at a random place changed."""
    where = writer.random.choice([i for i, (kind, _) in enumerate(parts) if kind is BlockKind.PARAGRAPH])
    words = parts[where][1].split(" ")
    place = writer.random.randrange(len(words))
    changed = {
        "a word changed": [*words[:place], writer.random.choice(writer.words), *words[place + 1 :]],
        "words added": [*words[:place], *writer.sentence()[:-1].split(" "), *words[place:]],
        "rewritten": writer.paragraph(shape).split(" "),
    }
    match edit:
        case "deleted":
            new: list[Part] = []
        case "one inserted":
            new = [parts[where], (BlockKind.PARAGRAPH, writer.paragraph(shape))]
        case _:
            new = [(BlockKind.PARAGRAPH, " ".join(changed[edit]))]
    return [*parts[:where], *new, *parts[where + 1 :]]


def chunks_of(parts: list[Part]) -> tuple[PlacedChunk, ...]:
    return place("document", chunk_document(parsed(parts), SETTINGS))


def embeddings_per_edit(shape: Shape, places: int = PLACES, characters: int = 1_500_000) -> Iterator[int]:
    """First the embeddings for the same bytes again, then those of one edit at each place."""
    writer = Writer(seed=7)
    parts = writer.document(shape, characters)
    known = frozenset(one.id for one in chunks_of(parts))
    yield len(split_new(chunks_of(parts), known)[0])
    for number in range(places):
        after = edited(writer, shape, parts, EDITS[number % len(EDITS)])
        yield len(split_new(chunks_of(after), known)[0])


def report(shape: Shape) -> None:
    parts = Writer(seed=7).document(shape)
    began = time.process_time()
    placed = chunks_of(parts)
    seconds = time.process_time() - began
    sizes = [len(one.chunk.text) for one in placed]
    again, *costs = embeddings_per_edit(shape)
    print(
        f"{shape.name:34} {len(placed):6} chunks, mean {sum(sizes) / len(sizes) / SETTINGS.size:4.0%} of the size, "
        f"smallest {min(sizes):4}; an edit {sum(costs) / len(costs):4.2f}, at most {max(costs)}; again {again}; "
        f"{sum(len(text) for _, text in parts) / seconds / 1e6:.1f}M characters/s"
    )


if __name__ == "__main__":
    for one in SHAPES:
        if len(sys.argv) == 1 or any(word in one.name for word in sys.argv[1:]):
            report(one)
