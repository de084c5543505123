"""Passages, citations and answers. Strawberry reads these classes; what resolvers return are the domain's own values,
whose attributes have the same names."""

from __future__ import annotations

from datetime import datetime
from enum import Enum

import strawberry

from matrix.api.graphql.types.dynamic_field import field
from matrix.api.graphql.types.scalars import JSON
from matrix.domain import chat, retrieval


@strawberry.enum(description="HYBRID adds exact words to the search by meaning.")
class SearchMode(Enum):
    DENSE = "DENSE"
    HYBRID = "HYBRID"


@strawberry.enum(description="What became of a cited passage since.")
class CitationState(Enum):
    CURRENT = "CURRENT"
    CHANGED = "CHANGED"
    DELETED = "DELETED"


@strawberry.input(description="Narrows a search; values of one field are alternatives.")
class SearchFilters:
    documents: list[strawberry.ID] = strawberry.field(default_factory=list)
    source_kinds: list[str] = strawberry.field(default_factory=list)
    languages: list[str] = strawberry.field(default_factory=list)
    tags: list[str] = strawberry.field(default_factory=list)

    def to_filters(self) -> retrieval.SearchFilters:
        return retrieval.SearchFilters(
            tuple(map(str, self.documents)), tuple(self.source_kinds), tuple(self.languages), tuple(self.tags)
        )


@strawberry.type(description="How a hit got its place; null where that leg did not find it.")
class Scores:
    dense: float | None = strawberry.field(description="The raw cosine; minScore applies to it.")
    dense_rank: int | None
    keyword_rank: int | None
    fused: float | None


@strawberry.type(description="Where a passage stands in its source.")
class SourceRef:
    url: str | None
    page: int | None
    section_path: list[str]
    start: int = strawberry.field(description="First code point in the parsed text.")
    end: int


@strawberry.type(description="A passage that answers.")
class Hit:
    chunk_id: strawberry.ID
    document_id: strawberry.ID
    document_name: str
    knowledge_id: strawberry.ID
    text: str
    context: str
    position: int
    chunk_count: int
    score: float = strawberry.field(description="Orders hits and means nothing else.")
    scores: Scores

    @field(graphql_type=SourceRef)
    @staticmethod
    def source_ref(root: retrieval.Hit) -> retrieval.SourceRef:
        return root.source


@strawberry.type
class Weights:
    dense: float
    keyword: float


@strawberry.type(description="Why hits are what they are.")
class Explanation:
    dense_candidates: int
    keyword_candidates: int
    below_min_score: int
    beyond_top_k: int
    second_try: bool

    @field()
    @staticmethod
    def weights(root: retrieval.Explanation) -> Weights:
        dense, keyword = root.weights
        return Weights(dense=dense, keyword=keyword)


@strawberry.type
class SearchResult:
    hits: list[Hit]
    explanation: Explanation | None


@strawberry.type(description="A marker in an answer, and the passage that it stands for.")
class Citation:
    marker: int
    chunk_id: strawberry.ID
    document_id: strawberry.ID
    version_id: strawberry.ID
    document_name: str
    page: int | None
    quote: str
    url: str | None
    section_path: list[str]
    start: int
    end: int

    @field()
    @staticmethod
    def state(root: chat.Citation) -> CitationState:
        return CitationState[root.state]


@strawberry.type(description="A tool that was used for an answer.")
class ToolRun:
    name: str
    summary: str
    is_error: bool

    @field()
    @staticmethod
    def arguments(root: chat.ToolRun) -> JSON:
        return JSON(dict(root.arguments))


@strawberry.type(description="Tokens that an answer cost; the local answerer counts none.")
class Usage:
    input_tokens: int
    output_tokens: int


@strawberry.type
class Answer:
    session_id: strawberry.ID
    message_id: strawberry.ID
    answerable: bool
    complete: bool = strawberry.field(description="False when the model's limit of tokens cut the answer off.")
    citations: list[Citation]
    usage: Usage

    @field(description="Documents that are not searched yet and might hold what was not found.")
    @staticmethod
    def documents_being_read(root: chat.Answer) -> int:
        return root.being_read

    @field()
    @staticmethod
    def answer(root: chat.Answer) -> str:
        return root.text

    @field(graphql_type=list[ToolRun])
    @staticmethod
    def tool_calls(root: chat.Answer) -> tuple[chat.ToolRun, ...]:
        return root.tool_runs


@strawberry.type(description="A link that works without any sign-in, for ten minutes.")
class SignedLink:
    url: str
    method: str
    expires_at: datetime
