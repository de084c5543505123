"""The graph's check of what an index proposes, and how what passes becomes a Candidate. Both legs share it."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable

from matrix.domain.documents import PageStart, SectionStart
from matrix.domain.retrieval import Candidate, SearchFilters, SourceRef
from matrix.domain.source_anchors import anchored
from matrix.graph.database import Row

# After a query has bound c (a passage) and score: it must hang under the LIVE version of an undeleted document of an
# undeleted corpus, and the document's own audience must be among the caller's. Indexes hold copies of this that lag.
CONFIRMED = """
  MATCH (c)<-[place:HAS_CHUNK]-(v:DocumentVersion)<-[:LIVE]-(d:KnowledgeDocument)<-[:HAS_DOCUMENT]-(k:Knowledge)
  WHERE d.deletedAt IS NULL AND k.deletedAt IS NULL AND d.orgId = $org AND k.id IN $corpora
    AND d.audienceId IN $audiences
"""

# What the caller narrows by, asked of the documents themselves. Null means anything.
FILTERED = """
    AND ($documents IS NULL OR d.id IN $documents) AND ($kinds IS NULL OR d.sourceKind IN $kinds)
    AND ($languages IS NULL OR d.language IN $languages)
    AND ($tags IS NULL OR any(tag IN d.tags WHERE tag IN $tags))
"""

AS_CANDIDATE = """
  RETURN {chunkId: c.id, documentId: d.id, versionId: v.id, knowledgeId: k.id, documentName: d.name, text: c.text,
    context: c.context, position: place.position, chunkCount: v.chunkCount, sourceKind: c.sourceKind,
    language: c.language, url: v.sourceUrl, mediaType: v.mediaType, page: place.page, sectionPath: c.sectionPath,
    pages: place.pages, pageStarts: place.pageStarts, sections: place.sections, sectionStarts: place.sectionStarts,
    start: place.start, end: place.end, score: score} AS hit
  ORDER BY score DESC, c.id LIMIT $limit
"""


def filter_values(filters: SearchFilters) -> dict[str, object]:
    """The parameters of FILTERED."""
    return {
        "documents": list(filters.document_ids) or None,
        "kinds": list(filters.source_kinds) or None,
        "languages": list(filters.languages) or None,
        "tags": [unicodedata.normalize("NFC", tag) for tag in filters.tags] or None,
    }


def candidates(hits: Iterable[Row], second_try: bool = False) -> list[Candidate]:
    """The leg's candidates, numbered from 1 in the order in which they come."""
    return [_candidate(hit, ordinal, second_try) for ordinal, hit in enumerate(hits, 1)]


def _candidate(hit: Row, ordinal: int, second_try: bool) -> Candidate:
    return Candidate(
        chunk_id=hit["chunkId"],
        document_id=hit["documentId"],
        version_id=hit["versionId"],
        knowledge_id=hit["knowledgeId"],
        document_name=hit["documentName"],
        text=hit["text"],
        context=hit["context"],
        position=hit["position"],
        chunk_count=hit["chunkCount"],
        source_kind=hit["sourceKind"],
        language=hit["language"],
        source=SourceRef(
            url=anchored(hit["url"], hit["mediaType"], hit["page"], hit["text"]),
            page=hit["page"],
            section_path=tuple(hit["sectionPath"] or ()),
            start=hit["start"],
            end=hit["end"],
            page_starts=tuple(map(PageStart, hit["pages"] or (), hit["pageStarts"] or ())),
            section_starts=tuple(map(_section_start, hit["sections"] or (), hit["sectionStarts"] or ())),
        ),
        score=hit["score"],
        ordinal=ordinal,
        second_try=second_try,
    )


def _section_start(path: str, start: int) -> SectionStart:
    return SectionStart(tuple(json.loads(path)), start)
