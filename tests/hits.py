"""Hits and candidates for tests, with only what a test cares about."""

from __future__ import annotations

from matrix.domain.chat import Evidence
from matrix.domain.retrieval import Candidate, Hit, Scores, SourceRef


def hit(text: str, *, chunk: str = "c1", document: str = "d1", name: str = "handbook.pdf", start: int = 0) -> Hit:
    return Hit(
        chunk_id=chunk,
        document_id=document,
        version_id=f"{document}-v1",
        knowledge_id="k1",
        document_name=name,
        text=text,
        context="",
        position=0,
        chunk_count=1,
        score=1.0,
        scores=Scores(dense=0.8),
        source=SourceRef(url=None, page=3, section_path=("Leave",), start=start, end=start + len(text)),
    )


def evidence(*texts: str) -> dict[int, Evidence]:
    return {n: Evidence(n, hit(text, chunk=f"c{n}")) for n, text in enumerate(texts, start=1)}


def candidate(chunk: str, ordinal: int, *, score: float = 0.5, version: str = "v1", language: str = "en") -> Candidate:
    return Candidate(
        chunk_id=chunk,
        document_id=f"doc-{chunk}",
        version_id=version,
        knowledge_id="k1",
        document_name="a.md",
        text=f"text of {chunk}",
        context="",
        position=0,
        chunk_count=1,
        source_kind="FILE",
        language=language,
        source=SourceRef(None, None, (), 0, 1),
        score=score,
        ordinal=ordinal,
    )
