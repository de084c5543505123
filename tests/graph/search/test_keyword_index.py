from __future__ import annotations

import dataclasses

import pytest

from matrix.domain.retrieval import SearchFilters
from matrix.graph.database import Database
from matrix.graph.search.keyword_index import Keywords
from tests.graph.corpora import new_corpus, new_organization
from tests.ingest.flow import Flow, new_flow

TEXTS = {
    "codes.md": "ERR-4711 is a stuck valve.",
    "more/pumps.md": "ERR-4712 is a broken pump, and 4711 is a perfume; the err is ours.",
    "names.md": "The function A_b.c of release v2.1 costs 1,234.50 and replaces A_b.d of v2.2.",
    "others.md": "The function A_b.d of release v2.2 costs 1,234.60 and is replaced by A_b.d of v2.1.0.",
    "scripts.md": "東京都の天気は晴れです。 Москва — столица. हिन्दी में पढ़ना.",
}


@pytest.fixture(scope="module")
async def flow(database: Database) -> Flow:
    flow = await new_flow(database)
    for name, text in TEXTS.items():
        await flow.ingest(name, text)
    return flow


@pytest.mark.feature("C2")
@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("What is ERR-4711?", "ERR-4711"),
        ("err-4712", "ERR-4712"),
        ("A_b.c", "The function A_b.c"),
        ("v2.1", "The function A_b.c"),
        ("1,234.50", "The function A_b.c"),
        ("東京都", "東京都"),
        ("столица", "東京都"),
        ("पढ़ना", "東京都"),
        ("pumps", "ERR-4712"),
        ("more/pumps.md", "ERR-4712"),
    ],
)
async def test_codes_names_and_numbers_are_found_as_they_stand(flow: Flow, query: str, first: str) -> None:
    assert (await flow.words(query))[0].startswith(first)


@pytest.mark.parametrize(
    "query",
    [
        "valve) OR scopeTokens:(o_x",
        'valve" OR text:*',
        "valve AND NOT pump",
        "valve^1000 pump~2 -broken +stuck",
        "/v.*/ valve",
        "valve\\",
        "valve [a TO z] {",
        "  valve  &&  ||  !",
        "valve " * 3000,
        " ".join(f"word{n}" for n in range(2000)) + " valve",
        'a"b"c valve "',
    ],
)
async def test_what_is_typed_is_never_syntax(flow: Flow, query: str) -> None:
    await flow.words(query)


@pytest.mark.feature("A3")
async def test_scopes_are_required(flow: Flow, database: Database) -> None:
    keywords = Keywords(database)
    stranger = await new_organization(database)
    for scope, corpora in (
        (stranger, [flow.corpus]),
        (dataclasses.replace(stranger, audiences=flow.scope.audiences), [flow.corpus]),
        (dataclasses.replace(flow.scope, audiences=()), [flow.corpus]),
        (flow.scope, [await new_corpus(database, flow.scope)]),
        (flow.scope, []),
    ):
        assert await keywords.search(scope, corpora, "valve", SearchFilters(), 8) == []
    other = await new_corpus(database, flow.scope)
    assert len(await keywords.search(flow.scope, [other, flow.corpus], "valve", SearchFilters(), 8)) == 1


async def test_the_version_that_serves_is_read_for_the_caller(flow: Flow, database: Database) -> None:
    hits = await Keywords(database).search(flow.scope, [flow.corpus], "valve", SearchFilters(), 8)
    versions = {hit.document_id: hit.version_id for hit in hits}
    assert await Keywords(database).live_versions(flow.scope, [*versions, "none"]) == versions
    stranger = await new_organization(database)
    assert await Keywords(database).live_versions(stranger, list(versions)) == {}


@pytest.mark.feature("B10")
async def test_a_crowd_of_deleted_passages_does_not_hide_the_others(database: Database) -> None:
    flow = await new_flow(database)
    await database.write("MATCH (k:Knowledge {id: $id}) SET k.chunkSize = 200, k.chunkOverlap = 0", id=flow.corpus)
    await flow.ingest(
        "kept.md", "A long story of many things in which the valve is named once, at its very end: valve."
    )
    crowd = await flow.ingest("crowd.md", "\n\n".join(f"# Valve {n}\n\nvalve valve {n}" for n in range(60)))
    assert len(await flow.words("valve")) == 8
    await flow.service.delete_document(flow.scope, crowd)
    assert len(await flow.words("valve")) == 1
