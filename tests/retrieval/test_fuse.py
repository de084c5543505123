import pytest

from matrix.retrieval.fuse import Weights, fuse, keep_live, weigh_legs
from tests.hits import candidate


@pytest.mark.feature("C2")
def test_found_by_both_legs_goes_first_and_stands_once() -> None:
    dense = [candidate("a", 1), candidate("b", 2)]
    keyword = [candidate("b", 1), candidate("c", 2)]
    hits = fuse(dense, keyword, Weights())
    assert hits[0].chunk_id == "b"
    assert sorted(hit.chunk_id for hit in hits) == ["a", "b", "c"]
    assert hits[0].scores.dense_rank == 2
    assert hits[0].scores.keyword_rank == 1


def test_dense_score_is_the_raw_cosine_and_missing_where_only_words_found_it() -> None:
    hits = {hit.chunk_id: hit for hit in fuse([candidate("a", 1, score=0.7)], [candidate("b", 1)], Weights())}
    assert hits["a"].scores.dense == 0.7
    assert hits["b"].scores.dense is None


def test_the_keyword_leg_leads_where_the_embedder_does_not_know_the_language() -> None:
    german = [candidate(f"g{n}", n, language="de") for n in range(1, 4)]
    weights = weigh_legs("Wie hoch ist die Tagespauschale?", german, ("en",))
    assert weights.dense < weights.keyword
    assert weigh_legs("Wie hoch?", german, None) == Weights()


def test_a_code_in_the_question_strengthens_the_keyword_leg() -> None:
    assert weigh_legs("What does E-417 mean?", [], None).keyword > 1
    assert weigh_legs("What does the horn mean?", [], None).keyword == 1


def test_only_the_live_version_of_a_document_stays() -> None:
    hits = fuse([candidate("a", 1, version="old"), candidate("b", 2, version="new")], [], Weights())
    assert [hit.chunk_id for hit in keep_live(hits, {"doc-a": "new", "doc-b": "new"})] == ["b"]
