from __future__ import annotations

import pytest

from matrix.domain.retrieval import SearchFilters
from matrix.graph.database import Database
from matrix.graph.search.keyword_index import Keywords
from matrix.graph.search.vector_store import KnowledgeVectors
from matrix.ingest.worker import work_off
from tests.ingest.flow import Flow, PlainParser, new_flow, sections


@pytest.fixture
async def flow(database: Database) -> Flow:
    return await new_flow(database)


@pytest.mark.feature("B3", "B6", "B16", "B17")
async def test_a_file_becomes_passages_that_both_legs_find(flow: Flow) -> None:
    document_id = await flow.ingest("guide/errors.md", "# Codes\n\nERR-4711 means that the valve of the pump is stuck.")

    assert (await flow.texts("stuck valve"))[0].endswith("the valve of the pump is stuck.")
    assert (await flow.words("What does ERR-4711 mean?"))[0].endswith("the valve of the pump is stuck.")
    document = await flow.document(document_id)
    assert (document["status"], document["progress"], document["chunkCount"]) == ("COMPLETED", 1.0, 1)
    assert (document["chunksEmbedded"], document["chunksReused"], document["language"]) == (1, 0, "en")
    assert await flow.counts() == (1, 1)


@pytest.mark.feature("B9")
async def test_the_same_bytes_are_no_work(flow: Flow) -> None:
    document_id = await flow.ingest("a.md", sections(5))
    before, blobs = flow.embedder.embedded, await flow.blobs.list_prefix("")
    receipt = await flow.send("a.md", sections(5))

    assert (receipt.document_id, receipt.unchanged, receipt.job_id, receipt.version) == (document_id, True, None, 1)
    assert await work_off(flow.ports) == 0
    assert (flow.embedder.embedded, await flow.blobs.list_prefix("")) == (before, blobs)


@pytest.mark.feature("B8", "B9")
async def test_an_edit_embeds_what_changed_and_takes_the_old_text_away(flow: Flow) -> None:
    document_id = await flow.ingest("a.md", sections(10))
    before = flow.embedder.embedded
    await flow.ingest("a.md", sections(10, changed=4))

    document = await flow.document(document_id)
    assert flow.embedder.embedded - before == document["chunksEmbedded"] == 1
    assert (document["version"], document["servingVersion"], document["chunksReused"]) == (2, 2, 9)
    assert len(await flow.words("edited4")) == 1
    assert await flow.words("word4") == []
    assert await flow.counts() == (1, 10)


async def test_a_blank_file_is_completed_with_a_warning(flow: Flow) -> None:
    document = await flow.document(await flow.ingest("blank.txt", " \n \n"))
    assert (document["status"], document["chunkCount"]) == ("COMPLETED", 0)
    assert "No text was found" in document["warnings"][0]


async def test_a_language_that_the_embedder_does_not_know_is_warned_of(database: Database) -> None:
    flow = await new_flow(database, parser=PlainParser(language="de"))
    flow.embedder.languages = ("en",)
    document = await flow.document(await flow.ingest("d.txt", "Der Mond ist aufgegangen."))
    assert document["status"] == "COMPLETED"
    assert any("«de»" in warning for warning in document["warnings"])


@pytest.mark.feature("B16")
async def test_both_legs_know_which_section_each_word_of_a_passage_is_in(flow: Flow, database: Database) -> None:
    await flow.ingest("care.md", "# Manual\n\n## Care\n\nBrush it.\n\n## Calibration\n\nIngrid signs the certificates.")
    vector = await flow.embedder.embed_query("certificates")
    [dense] = await KnowledgeVectors(database).search(flow.scope, [flow.corpus], vector, SearchFilters(), 8)
    [words] = await Keywords(database).search(flow.scope, [flow.corpus], "certificates", SearchFilters(), 8)
    for source in (dense.source, words.source):
        assert source.section_path == ("Manual",)
        assert source.section_at(dense.text.index("Brush")) == ("Manual", "Care")
        assert source.section_at(dense.text.index("Ingrid")) == ("Manual", "Calibration")
