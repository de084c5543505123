"""What a search answers."""

from __future__ import annotations

from typing import NotRequired

from matrix.api.rest.shapes.shape import Shape


class Scores(Shape):
    """How a hit got its place; null where that way of searching did not find it."""

    dense: float | None
    """The cosine of question and passage, which `minScore` applies to."""
    denseRank: int | None
    keywordRank: int | None
    fused: float | None


class SourceRef(Shape):
    """Where a passage stands in its document."""

    url: str | None
    """The address that the document was fetched from."""
    page: int | None
    """Counted from 1; null where the document has no pages."""
    sectionPath: list[str]
    """The headings above, the outermost first."""
    start: int
    """Where it begins in the text of `GET …/documents/{id}/text`, in characters."""
    end: int


class Hit(Shape):
    """A passage that answers."""

    chunkId: str
    documentId: str
    documentName: str
    knowledgeId: str
    text: str
    context: str
    """The headings above it, and the header of its table, which were embedded with it."""
    position: int
    """Its place among the passages of the document."""
    chunkCount: int
    """How many passages the document has."""
    score: float
    """Orders the hits and means nothing else."""
    scores: Scores
    sourceRef: SourceRef


class Weights(Shape):
    """How much each way of searching counted."""

    dense: float
    keyword: float


class Explanation(Shape):
    """Why the hits are what they are."""

    denseCandidates: int
    keywordCandidates: int
    belowMinScore: int
    beyondTopK: int
    secondTry: bool
    """Whether it was searched again, among the documents that the caller may see."""
    weights: Weights


class SearchAnswer(Shape):
    """The passages found, the best first."""

    hits: list[Hit]
    explanation: NotRequired[Explanation]
    """Only where the request says `explain`."""
