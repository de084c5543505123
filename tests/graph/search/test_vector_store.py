from __future__ import annotations

import pytest

from matrix.domain.retrieval import SearchFilters
from matrix.graph.database import Database
from matrix.graph.search.vector_store import KnowledgeVectors
from tests.fakes.embedder import FakeEmbedder
from tests.graph.corpora import claim, ingest_lines, new_corpus, new_organization, stores_on, upload

TEXT = "apples grow on trees\npears are green\nthe moon is far away"


@pytest.mark.feature("A3", "C1")
async def test_a_passage_is_found_by_its_meaning(database: Database, embedder: FakeEmbedder) -> None:
    stores = stores_on(database)
    scope = await new_organization(database)
    corpus = await new_corpus(database, scope)
    receipt = await upload(stores, scope, corpus, "fruit.txt", TEXT)
    await ingest_lines(stores, await claim(stores), TEXT, await embedder.embed_documents(TEXT.splitlines()))

    query = await embedder.embed_query("green pears")
    found = await KnowledgeVectors(database).search(scope, [corpus], query, SearchFilters(), 2)

    best = found[0]
    assert best.text == "pears are green"
    assert (best.document_id, best.document_name) == (receipt.document_id, "fruit.txt")
    assert (best.position, best.chunk_count, best.ordinal) == (1, 3, 1)
    assert (best.source.page, best.source.section_path) == (1, ("Part",))
    assert TEXT[best.source.start : best.source.end] == best.text
    vector = (await embedder.embed_documents(["pears are green"]))[0]
    assert best.score == pytest.approx(sum(a * b for a, b in zip(vector, query, strict=True)), abs=1e-4)
