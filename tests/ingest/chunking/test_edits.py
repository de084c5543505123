"""An edit costs the chunks around it. The benchmark of the same name prints the figures; here they have a limit."""

from __future__ import annotations

import pytest

from benchmarks.chunk_edits import SETTINGS, SHAPES, Shape, Writer, chunks_of, embeddings_per_edit

PROSE = [shape for shape in SHAPES if shape.name != "no headings, paragraphs of pages"]


@pytest.mark.feature("B9")
def test_an_edit_of_one_paragraph_in_a_thousand_chunks_costs_three_embeddings_at_most() -> None:
    again, *costs = embeddings_per_edit(SHAPES[5], places=50, characters=1_450_000)
    assert again == 0
    assert len(costs) == 50
    assert 0 < sum(costs) / len(costs) <= 3


@pytest.mark.feature("B9")
@pytest.mark.parametrize("shape", PROSE, ids=lambda shape: shape.name)
def test_the_same_holds_for_every_shape_of_a_hundred_chunks(shape: Shape) -> None:
    again, *costs = embeddings_per_edit(shape, places=30, characters=145_000)
    assert again == 0
    assert 0 < sum(costs) / len(costs) <= 3


@pytest.mark.feature("B15")
@pytest.mark.parametrize("shape", [SHAPES[2], SHAPES[5], SHAPES[7]], ids=lambda shape: shape.name)
def test_chunks_of_plain_prose_are_well_filled(shape: Shape) -> None:
    sizes = [len(one.chunk.text) for one in chunks_of(Writer(seed=3).document(shape, characters=300_000))]
    assert sum(sizes) / len(sizes) >= 0.65 * SETTINGS.size
    assert min(sizes) >= 0.1 * SETTINGS.size
