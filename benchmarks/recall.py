"""Recall at 10 of KnowledgeVectors against comparing everything, after 30 % of all passages were replaced."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from benchmarks.filling import Corpus, Filler
from benchmarks.outcome import Row, at_least
from benchmarks.questions import Question
from matrix.domain.access import Scope
from matrix.domain.retrieval import SearchFilters
from matrix.graph.search.vector_store import KnowledgeVectors
from matrix.wiring.services import Services

TOP_K = 10
ASKED = 100
REPLACED = 0.3
COUNTED = ("ten", "thousand", "main")


async def measure(
    services: Services,
    filler: Filler,
    corpora: Mapping[str, Corpus],
    reader: Scope,
    shown: Sequence[str],
    questions: Sequence[Question],
) -> list[Row]:
    for corpus in corpora.values():
        for document in list(corpus.documents):
            await filler.replace(corpus, document, REPLACED)
    vectors, rows = KnowledgeVectors(services.database), []
    for key in COUNTED:
        corpus = corpora[key]
        rows += await count(vectors, corpus, corpus.scope, list(corpus.documents), questions[:ASKED])
    main = corpora["main"]
    return rows + await count(vectors, main, reader, shown, questions[:ASKED])


async def count(
    vectors: KnowledgeVectors, corpus: Corpus, scope: Scope, visible: Sequence[str], questions: Sequence[Question]
) -> list[Row]:
    """Recall, and the share of questions that got all the hits there could be."""
    ids, matrix = corpus.matrix(visible)
    wanted, found, full = min(TOP_K, len(ids)), 0, 0
    for question in questions:
        nearest = np.argsort(-(matrix @ np.array(question.vector, np.float32)), kind="stable")[:wanted]
        hits = await vectors.search(scope, [corpus.id], question.vector, SearchFilters(), TOP_K)
        found += len({ids[place] for place in nearest} & {hit.chunk_id for hit in hits})
        full += len(hits) == wanted
    share = len(ids) / len(corpus.vectors)
    who = "" if share == 1 else f", a caller who may see {share:.1%} of it"
    where = f"corpus of {len(corpus.vectors):,}{who}, {REPLACED:.0%} of all replaced: "
    return [
        at_least(where + "recall@10", found / wanted / len(questions), 0.99),
        Row(where + "questions with full hits", f"{full}/{len(questions)}", "all", full == len(questions)),
    ]
