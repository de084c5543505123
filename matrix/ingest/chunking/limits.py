"""What a chunk may measure, in characters, from the settings of a corpus. Nothing here looks at text."""

from __future__ import annotations

from dataclasses import dataclass

from matrix.domain.documents import ChunkingSettings
from matrix.errors import InvalidInput

CHARACTERS_PER_TOKEN = 4
SMALLEST_SIZE = 100
LARGEST_SIZE = 32_000
_CHARACTERS_PER_UNIT = {"CHARACTERS": 1, "TOKENS": CHARACTERS_PER_TOKEN}


@dataclass(frozen=True, slots=True)
class ChunkLimits:
    """All in characters. A chunk with an overlap at its front has `body` characters left for what is new in it;
    `least` is what a chunk should have at least, `slight` what a whole section or paragraph may have."""

    size: int
    overlap: int

    @property
    def body(self) -> int:
        return self.size - self.overlap

    @property
    def least(self) -> int:
        return self.body // 4

    @property
    def slight(self) -> int:
        return self.body // 8


def check_chunking(settings: ChunkingSettings) -> None:
    """Errors: InvalidInput, whose `field` is the corpus's property: chunkSize, chunkOverlap, chunkUnit,
    chunkingStrategy."""
    if settings.unit not in _CHARACTERS_PER_UNIT:
        raise InvalidInput("chunkUnit must be CHARACTERS or TOKENS.", field="chunkUnit")
    if settings.strategy != "RECURSIVE":
        raise InvalidInput("chunkingStrategy must be RECURSIVE; no other is built yet.", field="chunkingStrategy")
    largest = LARGEST_SIZE // _CHARACTERS_PER_UNIT[settings.unit]
    if not SMALLEST_SIZE <= settings.size <= largest:
        raise InvalidInput(f"chunkSize must be between {SMALLEST_SIZE} and {largest}.", field="chunkSize")
    if not 0 <= settings.overlap < settings.size:
        raise InvalidInput("chunkOverlap must be at least 0 and smaller than chunkSize.", field="chunkOverlap")


def limits_of(settings: ChunkingSettings) -> ChunkLimits:
    """The limits in characters. A token counts as four characters, whatever the language: a rule of thumb that needs no
    tokenizer and does not change with an edit. An overlap over half of the size is cut to that half, so that every
    chunk brings something new. Errors: InvalidInput."""
    check_chunking(settings)
    ratio = _CHARACTERS_PER_UNIT[settings.unit]
    return ChunkLimits(settings.size * ratio, min(settings.overlap, settings.size // 2) * ratio)
