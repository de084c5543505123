"""Ids of chunks: from the document and what is embedded, and nothing else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from matrix.domain.documents import Chunk
from matrix.ingest.chunking import place

CHUNK = Chunk(position=0, text="The gate opens at six.", start=0, end=22, context="Gates")


@pytest.mark.feature("B16")
def test_the_id_is_the_document_and_the_embedded_text() -> None:
    (placed,) = place("d1", [CHUNK])
    assert place("d1", [replace(CHUNK, position=5, start=70, end=92, page=3)])[0].id == placed.id
    assert place("d2", [CHUNK])[0].id != placed.id
    assert place("d1", [replace(CHUNK, context="Doors")])[0].id != placed.id


@pytest.mark.feature("B9", "B16")
def test_equal_passages_have_ids_of_their_own_and_one_more_makes_one_new() -> None:
    other = replace(CHUNK, text="The yard closes at noon.")
    before = {one.id for one in place("d1", [CHUNK, other, CHUNK, CHUNK])}
    after = {one.id for one in place("d1", [CHUNK, CHUNK, other, CHUNK, CHUNK])}
    assert len(before) == 4
    assert len(after - before) == 1
    assert before < after
