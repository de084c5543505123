"""Documents on their way from bytes to chunks: `ParsedDocument` of `Block`s, then `Chunk`s, under a `DocumentVersion`.

Offsets (`start`, `end`) are always code points in the parsed text of the version; `end` is exclusive. Pages count
from 1 and are None where a format has none.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


class SourceKind(StrEnum):
    FILE = "FILE"
    URL = "URL"
    TEXT = "TEXT"
    QA = "QA"
    NOTION = "NOTION"


class DocumentStatus(StrEnum):
    PENDING = "PENDING"
    PROCESSING = "PROCESSING"
    COMPLETED = "COMPLETED"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"


class BlockKind(StrEnum):
    HEADING = "HEADING"
    PARAGRAPH = "PARAGRAPH"
    LIST_ITEM = "LIST_ITEM"
    TABLE = "TABLE"
    CODE = "CODE"
    QUOTE = "QUOTE"
    RECORD = "RECORD"


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of the parsed text with one role. Blocks are in order and do not overlap.

    `level` is the heading level (1-6), else 0. A TABLE's text is a Markdown pipe table whose first line is its header
    and second its rule; its rows are lines. CODE and RECORD blocks are kept whole where they fit.
    """

    kind: BlockKind
    start: int
    end: int
    level: int = 0
    page: int | None = None


@dataclass(frozen=True, slots=True)
class LineBox:
    """Where a line of the parsed text stands on its page: PDF points, origin at the top left."""

    page: int
    start: int
    end: int
    x0: float
    top: float
    x1: float
    bottom: float


@dataclass(frozen=True, slots=True)
class PageSpan:
    """The stretch of the parsed text that a page gave, with the page's size in points."""

    number: int
    start: int
    end: int
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """What a parser read. `warnings` are sentences for a person; `language` is an ISO 639-1 code or None."""

    text: str
    blocks: tuple[Block, ...]
    media_type: str
    title: str | None = None
    language: str | None = None
    encoding: str | None = None
    canonical_url: str | None = None
    pages: tuple[PageSpan, ...] = ()
    lines: tuple[LineBox, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ChunkingSettings:
    """How a corpus is cut: `size` and `overlap` in `unit`s."""

    size: int = 2000
    overlap: int = 200
    unit: str = "CHARACTERS"
    strategy: str = "RECURSIVE"


@dataclass(frozen=True, slots=True)
class PageStart:
    """Where in the parsed text a page begins."""

    number: int
    start: int


@dataclass(frozen=True, slots=True)
class SectionStart:
    """Where in the parsed text a section begins, by the headings above it, its own the last."""

    path: tuple[str, ...]
    start: int


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage to be found. `text` is the parsed text from `start` to `end` (the overlap at its front included).

    `page` is that of its own first words. `page_starts` are the pages that it touches, the first one's start at or
    before its own; none where it stands on one page. `section_path` are the headings above all of it, or, where it has
    none in common, above its first words; `section_starts` are the sections that it touches, like `page_starts`.
    `context` goes before the text when it is embedded: the headings above all of it, and a table's header where the
    passage begins inside one.
    """

    position: int
    text: str
    start: int
    end: int
    page: int | None = None
    section_path: tuple[str, ...] = ()
    context: str = ""
    language: str | None = None
    page_starts: tuple[PageStart, ...] = ()
    section_starts: tuple[SectionStart, ...] = ()

    @property
    def embedded_text(self) -> str:
        return f"{self.context}\n\n{self.text}" if self.context else self.text


@dataclass(frozen=True, slots=True)
class PlacedChunk:
    """A chunk with its id in its document, ready to be written."""

    id: str
    chunk: Chunk


@dataclass(frozen=True, slots=True)
class EmbeddedChunk:
    """A placed chunk with its vector."""

    placed: PlacedChunk
    embedding: list[float]


@dataclass(frozen=True, slots=True)
class NewVersion:
    """Bytes received for a document, before their version exists: hashed, counted, and stored under `blob_key`.

    The ids are made before the version is, for the blob's key holds them.
    """

    document_id: str
    version_id: str
    name: str
    sha256: str
    size: int
    media_type: str
    blob_key: str
    source_kind: SourceKind = SourceKind.FILE
    source_url: str | None = None


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of one file of an upload. `error` is a sentence where it was refused, with `code` and `advice`."""

    name: str
    document_id: str | None = None
    version: int | None = None
    status: DocumentStatus | None = None
    job_id: str | None = None
    unchanged: bool = False
    error: str | None = None
    code: str | None = None
    advice: str | None = None


@dataclass(frozen=True, slots=True)
class VersionToProcess:
    """All that a worker needs to know to turn a version into chunks."""

    org_id: str
    knowledge_id: str
    document_id: str
    version_id: str
    number: int
    name: str
    media_type: str
    blob_key: str
    sha256: str
    audience_id: str
    source_kind: SourceKind
    source_url: str | None
    tags: tuple[str, ...]
    chunking: ChunkingSettings
    status: DocumentStatus = DocumentStatus.PROCESSING


@dataclass(frozen=True, slots=True)
class UploadRules:
    """What a corpus says about a file that is offered to it under a name. `document_id` is the document of that name,
    if there is one; `pending_jobs` are those of the whole organization."""

    accepted_types: tuple[str, ...]
    document_id: str | None
    pending_jobs: int


@dataclass(frozen=True, slots=True)
class Original:
    """The stored bytes of a version."""

    document_id: str
    version_id: str
    knowledge_id: str
    number: int
    name: str
    blob_key: str
    sha256: str
    size: int
    media_type: str
    source_kind: SourceKind
    source_url: str | None = None
    status: DocumentStatus = DocumentStatus.COMPLETED


@dataclass(frozen=True, slots=True)
class Deletion:
    """A deletion under way: what its PURGE job works on."""

    receipt_id: str
    org_id: str
    subject: str
    subject_id: str
    requested_at: datetime


@dataclass(frozen=True, slots=True)
class DeletionPreview:
    """What a deletion would take away."""

    documents: int
    versions: int
    chunks: int
    blobs: int
    citations: int


@dataclass(frozen=True, slots=True)
class DeletionReceipt:
    """Proof of a deletion: what was taken away and, once `purged_at` is set, that nothing is left."""

    id: str
    subject: str
    subject_id: str
    requested_at: datetime
    counts: dict[str, int] = field(default_factory=dict)
    purged_at: datetime | None = None
    remaining: dict[str, int] = field(default_factory=dict)
