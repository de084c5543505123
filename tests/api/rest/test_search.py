"""Search over HTTP: hits with score parts and place, modes, thresholds, filters, and what it refuses."""

from __future__ import annotations

import pytest

from tests.support.tenants import Json, Tenant

pytestmark = pytest.mark.feature("C1", "C2")

TEXTS = {
    "leave.md": "# Leave\n\nEverybody has thirty days of leave a year.",
    "travel.md": "# Travel\n\nThe daily allowance abroad is 48 euros.",
    "codes.md": "# Codes\n\nThe part XK-4711-B fits the pump of 2019.",
}


@pytest.fixture(scope="module")
async def stocked(tenant: Tenant) -> str:
    await tenant.editor.create("knowledge", name="Handbook", key="handbook")
    for name, text in TEXTS.items():
        await tenant.editor.ingest("handbook", name, text)
    return "handbook"


async def search(tenant: Tenant, stocked: str, **body: object) -> Json:
    return await tenant.viewer.ok("POST", f"knowledge/{stocked}/search", json=body)


async def test_a_hit_says_where_it_stands(tenant: Tenant, stocked: str) -> None:
    hit = (await search(tenant, stocked, query="How many days of leave?"))["hits"][0]
    assert hit["documentName"] == "leave.md" and "thirty days" in hit["text"]
    assert set(hit["sourceRef"]) == {"url", "page", "sectionPath", "start", "end"}
    parsed = await tenant.viewer.ok("GET", f"documents/{hit['documentId']}/text")
    assert parsed["text"][hit["sourceRef"]["start"] : hit["sourceRef"]["end"]] == hit["text"]
    assert hit["scores"]["denseRank"] == 1 and -1 <= hit["scores"]["dense"] <= 1
    chunk = await tenant.viewer.ok("GET", f"chunks/{hit['chunkId']}")
    assert chunk["properties"]["document"] == hit["documentId"]


async def test_scores_fall_and_top_k_cuts(tenant: Tenant, stocked: str) -> None:
    hits = (await search(tenant, stocked, query="leave allowance part", topK=2))["hits"]
    assert len(hits) == 2 and hits[0]["score"] >= hits[1]["score"]
    assert len((await search(tenant, stocked, query="leave allowance part", topK=1))["hits"]) == 1


async def test_dense_scores_are_cosines_and_hybrid_adds_words(tenant: Tenant, stocked: str) -> None:
    dense = (await search(tenant, stocked, query="XK-4711-B", mode="DENSE"))["hits"]
    assert dense and all(hit["score"] == hit["scores"]["dense"] for hit in dense)
    assert all(hit["scores"]["keywordRank"] is None for hit in dense)
    hybrid = (await search(tenant, stocked, query="XK-4711-B", mode="HYBRID"))["hits"]
    assert hybrid[0]["documentName"] == "codes.md" and hybrid[0]["scores"]["keywordRank"] == 1
    plain = (await search(tenant, stocked, query="XK-4711-B"))["hits"]
    assert [hit["chunkId"] for hit in plain] == [hit["chunkId"] for hit in hybrid]


async def test_min_score_applies_to_the_cosine_alone(tenant: Tenant, stocked: str) -> None:
    query = "thirty days of leave"
    best = (await search(tenant, stocked, query=query, mode="DENSE"))["hits"][0]["scores"]["dense"]
    assert (await search(tenant, stocked, query=query, mode="DENSE", minScore=min(1, best + 0.01)))["hits"] == []
    kept = (await search(tenant, stocked, query=query, mode="DENSE", minScore=best - 0.01))["hits"]
    assert [hit["documentName"] for hit in kept] == ["leave.md"]
    words = (await search(tenant, stocked, query=query, mode="HYBRID", minScore=1))["hits"]
    assert words and all(hit["scores"]["dense"] is None for hit in words)


async def test_explain_tells_what_each_leg_did(tenant: Tenant, stocked: str) -> None:
    assert "explanation" not in await search(tenant, stocked, query="leave")
    explained = (await search(tenant, stocked, query="leave", topK=1, explain=True))["explanation"]
    assert explained["denseCandidates"] == 3 and explained["keywordCandidates"] == 1
    assert explained["beyondTopK"] == 2 and explained["belowMinScore"] == 0
    assert explained["weights"]["dense"] > 0 and explained["weights"]["keyword"] > 0
    above = (await search(tenant, stocked, query="leave", minScore=1, explain=True))["explanation"]
    assert above["belowMinScore"] == 3


async def test_filters(tenant: Tenant, stocked: str) -> None:
    documents = {item["properties"]["name"]: item["id"] for item in await tenant.viewer.items("documents")}
    only = (await search(tenant, stocked, query="leave", filters={"documents": [documents["travel.md"]]}))["hits"]
    assert [hit["documentName"] for hit in only] == ["travel.md"]
    await tenant.editor.ok(
        "PATCH", f"documents/{documents['codes.md']}", json={"properties": {"tags": ["parts", "Größe 1"]}}
    )
    tagged = (await search(tenant, stocked, query="leave", filters={"tags": ["Größe 1"]}))["hits"]
    assert [hit["documentName"] for hit in tagged] == ["codes.md"]
    assert (await search(tenant, stocked, query="leave", filters={"tags": ["absent"]}))["hits"] == []
    assert (await search(tenant, stocked, query="leave", filters={"documents": ["absent"]}))["hits"] == []
    assert (await search(tenant, stocked, query="leave", filters={"sourceKinds": ["TEXT"]}))["hits"] == []
    assert len((await search(tenant, stocked, query="leave", filters={"sourceKinds": ["FILE"]}))["hits"]) == 3
    assert (await search(tenant, stocked, query="leave", filters={"languages": ["xx"]}))["hits"] == []
    assert len((await search(tenant, stocked, query="leave", filters={"languages": ["en"]}))["hits"]) == 3


@pytest.mark.parametrize("mode", ["DENSE", "HYBRID"])
@pytest.mark.parametrize(
    "hostile", ["`", "x') OR 1=1 //", "}) RETURN n //", "o_any k_any", "a\tb\\c\"d'e", "* AND ~ ^ : ( [ {", "k_*", "𝔘"]
)
async def test_hostile_queries_and_filters_find_nothing_foreign(
    tenant: Tenant, stocked: str, mode: str, hostile: str
) -> None:
    hits = (await search(tenant, stocked, query=hostile, mode=mode))["hits"]
    assert {hit["documentName"] for hit in hits} <= set(TEXTS)
    for name in ("documents", "tags"):
        assert (await search(tenant, stocked, query="leave", mode=mode, filters={name: [hostile]}))["hits"] == []


@pytest.mark.parametrize(
    ("field", "body"),
    [
        ("query", {}),
        ("query", {"query": ""}),
        ("query", {"query": "  \n"}),
        ("query", {"query": "x" * 8001}),
        ("query", {"query": 5}),
        ("topK", {"query": "x", "topK": 0}),
        ("topK", {"query": "x", "topK": 51}),
        ("topK", {"query": "x", "topK": 1.5}),
        ("topK", {"query": "x", "topK": "3"}),
        ("topK", {"query": "x", "topK": True}),
        ("explain", {"query": "x", "explain": "yes"}),
        ("minScore", {"query": "x", "minScore": "0.5"}),
        ("filters.sourceKinds", {"query": "x", "filters": {"sourceKinds": ["BOOK"]}}),
        ("filters.sourceKinds", {"query": "x", "filters": {"sourceKinds": ["x') OR 1=1 //"]}}),
        ("filters.languages", {"query": "x", "filters": {"languages": ["`"]}}),
        ("filters.languages", {"query": "x", "filters": {"languages": ["english"]}}),
        ("filters.tags", {"query": "x", "filters": {"tags": ["y" * 201]}}),
        ("filters.tags", {"query": "x", "filters": {"tags": ["y"] * 51}}),
        ("filters.documents", {"query": "x", "filters": {"documents": [""]}}),
        ("minScore", {"query": "x", "minScore": 1.5}),
        ("mode", {"query": "x", "mode": "GRAPH"}),
        ("filters.color", {"query": "x", "filters": {"color": ["red"]}}),
        ("filters.tags", {"query": "x", "filters": {"tags": "red"}}),
        ("filters.documents", {"query": "x", "filters": {"documents": ["d"] * 1001}}),
        ("top_k", {"query": "x", "top_k": 3}),
        ("scope", {"query": "x", "scope": "all"}),
    ],
)
async def test_what_is_wrong_is_named(tenant: Tenant, stocked: str, field: str, body: Json) -> None:
    problem = await tenant.viewer.refused("POST", f"knowledge/{stocked}/search", 422, json=body)
    assert problem["field"] == field, problem


async def test_values_of_the_corpus_hold_where_none_are_given(tenant: Tenant, stocked: str) -> None:
    await tenant.editor.ok(
        "PATCH", f"knowledge/{stocked}", json={"properties": {"topK": 1, "retrievalStrategy": "DENSE"}}
    )
    hits = (await search(tenant, stocked, query="leave"))["hits"]
    assert len(hits) == 1 and hits[0]["scores"]["keywordRank"] is None
    await tenant.editor.ok(
        "PATCH", f"knowledge/{stocked}", json={"properties": {"topK": 8, "retrievalStrategy": "HYBRID"}}
    )


async def test_an_absent_or_empty_corpus(tenant: Tenant, corpus: str) -> None:
    await tenant.viewer.refused("POST", "knowledge/absent/search", 404, "not_found", json={"query": "x"})
    assert await tenant.viewer.search(corpus, "leave") == []
