"""A question to the index and what comes back. `score` orders hits and means nothing else; `scores.dense` is the raw
cosine."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from matrix.domain.documents import PageStart, SectionStart


class SearchMode(StrEnum):
    DENSE = "DENSE"
    HYBRID = "HYBRID"


@dataclass(frozen=True, slots=True)
class SearchFilters:
    """Narrowing by what a document is. Empty means everything; values of one field are alternatives."""

    document_ids: tuple[str, ...] = ()
    source_kinds: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()

    @property
    def empty(self) -> bool:
        return not (self.document_ids or self.source_kinds or self.languages or self.tags)


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """What to find, in which corpora. `min_score` is a raw cosine and applies to candidates of the vector leg alone."""

    knowledge_ids: tuple[str, ...]
    query: str
    top_k: int = 8
    mode: SearchMode = SearchMode.HYBRID
    min_score: float | None = None
    filters: SearchFilters = SearchFilters()
    explain: bool = False


@dataclass(frozen=True, slots=True)
class SourceRef:
    """Where a passage stands in its source: enough to open it and mark it. `page_starts` and `section_starts` as in a
    Chunk."""

    url: str | None
    page: int | None
    section_path: tuple[str, ...]
    start: int
    end: int
    page_starts: tuple[PageStart, ...] = ()
    section_starts: tuple[SectionStart, ...] = ()

    def section_at(self, offset: int) -> tuple[str, ...]:
        """The headings above an offset of the parsed text within the passage."""
        if not self.section_starts:
            return self.section_path
        begun = [section.path for section in self.section_starts if section.start <= offset]
        return begun[-1] if begun else self.section_starts[0].path

    def page_at(self, offset: int) -> int | None:
        """The page of an offset of the parsed text within the passage."""
        begun = [page.number for page in self.page_starts if page.start <= offset]
        return begun[-1] if begun else self.page


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk that one leg found and the graph confirmed, with the leg's own score (raw cosine, or BM25: never shown).

    `ordinal` is its place in the leg's list, from 1. `second_try` says that the leg had to look again, among the
    documents that the caller may see, because too few of its first candidates were confirmed.
    """

    chunk_id: str
    document_id: str
    version_id: str
    knowledge_id: str
    document_name: str
    text: str
    context: str
    position: int
    chunk_count: int
    source_kind: str
    language: str | None
    source: SourceRef
    score: float
    ordinal: int
    second_try: bool = False


@dataclass(frozen=True, slots=True)
class Scores:
    """How a hit got its place. None where that leg did not find it."""

    dense: float | None = None
    dense_rank: int | None = None
    keyword_rank: int | None = None
    fused: float | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage that answers, ready to be shown or put into a prompt."""

    chunk_id: str
    document_id: str
    version_id: str
    knowledge_id: str
    document_name: str
    text: str
    context: str
    position: int
    chunk_count: int
    score: float
    scores: Scores
    source: SourceRef


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why hits are what they are: how many each leg proposed, how many the graph let through, what was cut where."""

    dense_candidates: int = 0
    keyword_candidates: int = 0
    below_min_score: int = 0
    beyond_top_k: int = 0
    second_try: bool = False
    weights: tuple[float, float] = (1.0, 0.0)


@dataclass(frozen=True, slots=True)
class SearchResult:
    hits: tuple[Hit, ...]
    explanation: Explanation | None = None
