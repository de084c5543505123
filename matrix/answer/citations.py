"""Markers in a sentence to citations. A marker of what was not retrieved is dropped; nothing else becomes a link."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from matrix.answer.quote import find_quote
from matrix.domain.chat import Citation, Evidence
from matrix.domain.source_anchors import anchored_again

MARKER = re.compile(r"\s*\[(\d{1,3}(?:\s*[,;]\s*\d{1,3})*)\]")
LINK = re.compile(r"!?\[([^\]\n]*)\]\((?:[^()\s]|\([^()]*\))*(?:\s+\"[^\"]*\")?\)")
TAG = re.compile(
    r"</?(?:a|area|audio|base|embed|form|frame|iframe|image|img|input|link|meta|object|script|source|style|svg|track|video)"
    r"[\s/][^>]*(?:>|$)",
    re.IGNORECASE,
)
ADDRESS = re.compile(r"\b(?:https?|ftp|data|javascript):\S+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class CitedSentence:
    """A sentence with valid markers only. `claimed` says whether it carried any marker at all, valid or not."""

    text: str
    citations: tuple[Citation, ...]
    claimed: bool


def cite(sentence: str, evidence: Mapping[int, Evidence]) -> CitedSentence:
    """The sentence with its markers checked against the evidence of the turn, by marker."""
    claimed = [int(number) for found in MARKER.findall(sentence) for number in re.findall(r"\d+", found)]
    valid = list(dict.fromkeys(number for number in claimed if number in evidence))
    words = MARKER.sub("", sentence).rstrip()
    citations = tuple(_citation(words.strip(), evidence[number]) for number in valid)
    marks = "".join(f" [{number}]" for number in valid)
    return CitedSentence(f"{words}{marks}", citations, bool(claimed))


def without_links(text: str, evidence: Mapping[int, Evidence]) -> str:
    """Links and pictures as plain words, whoever wrote them; an address stays only if a source contains it."""
    plain = TAG.sub("", LINK.sub(lambda match: match[1], text))
    sources = [item.hit.text for item in evidence.values()]
    return ADDRESS.sub(lambda match: match[0] if _stands_in(match[0], sources) else "", plain)


def _stands_in(address: str, sources: list[str]) -> bool:
    return any(address.rstrip(".,;)") in source for source in sources)


def _citation(words: str, item: Evidence) -> Citation:
    hit = item.hit
    quote = find_quote(words, hit)
    page = hit.source.page_at(quote.start)
    return Citation(
        marker=item.marker,
        chunk_id=hit.chunk_id,
        document_id=hit.document_id,
        version_id=hit.version_id,
        knowledge_id=hit.knowledge_id,
        document_name=hit.document_name,
        quote=quote.text,
        page=page,
        url=anchored_again(hit.source.url, page, quote.text),
        section_path=hit.source.section_at(quote.start),
        start=quote.start,
        end=quote.end,
    )
