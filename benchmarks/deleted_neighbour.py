"""A large document deleted beside a small one, asked before anything is purged: no worker runs."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import closing

import httpx2

from benchmarks.filling import Corpus, Filler
from benchmarks.outcome import Options, Row
from benchmarks.questions import HttpSearch, Question
from benchmarks.running import Installation, key_of, new_corpus, owner_of
from matrix.wiring.services import Services

LARGE, SMALL = 20_000, 10
ASKED = 50


async def measure(
    place: Installation, services: Services, filler: Filler, questions: Sequence[Question], options: Options
) -> list[Row]:
    scope = await owner_of(place, services)
    corpus = Corpus(scope, await new_corpus(services, scope, "two"))
    large = await filler.add_document(corpus, "large.txt", options.scaled(LARGE, 400))
    small = await filler.add_document(corpus, "small.txt", SMALL)
    key = await key_of(services, scope)
    await _delete(place, key, large)
    rows = [await asyncio.to_thread(_ask, place, questions[:ASKED], small, mode) for mode in ("DENSE", "HYBRID")]
    left = await services.database.read_one(
        "MATCH (c:KnowledgeChunk) WHERE c.documentId = $document RETURN count(c) AS chunks", document=large
    )
    return [*rows, Row("passages of the deleted document still in the index meanwhile", str(left and left["chunks"]))]


async def _delete(place: Installation, key: str, document: str) -> None:
    async with httpx2.AsyncClient(trust_env=False, headers={"Authorization": f"Bearer {key}"}) as client:
        answer = await client.delete(f"{place.url}/api/orgs/{place.settings.organization}/documents/{document}")
        answer.raise_for_status()


def _ask(place: Installation, questions: Sequence[Question], small: str, mode: str) -> Row:
    """Every question is to find all passages of the small document, and none of the large one."""
    right = 0
    with closing(HttpSearch(place, "two")) as http:
        for question in questions:
            hits = http.hits(question, topK=SMALL, mode=mode)
            right += len(hits) == SMALL and {hit["documentId"] for hit in hits} == {small}
    what = f"{mode}: questions that found all {SMALL} passages of the small document and nothing else"
    return Row(what, f"{right}/{len(questions)}", "all" if mode == "DENSE" else "", right == len(questions))
