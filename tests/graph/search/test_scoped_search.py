"""No scope starves: small corpora beside large ones, few permitted passages among many, and copies that lag. Vectors
are made up."""

from __future__ import annotations

import dataclasses
import math
import random

import pytest

from matrix.domain.access import Scope
from matrix.domain.documents import EmbeddedChunk
from matrix.domain.jobs import JobKind
from matrix.domain.retrieval import SearchFilters
from matrix.graph.database import Database
from matrix.graph.search.vector_store import KnowledgeVectors
from tests.graph.corpora import (
    Stores,
    claim,
    ingest_lines,
    new_corpus,
    new_organization,
    parsed,
    placed_lines,
    stores_on,
    upload,
)

BIG, SMALL = 1200, 10


def made_up(rng: random.Random, near: list[float] | None = None) -> list[float]:
    vector = [rng.gauss(0, 1) + (8 * near[i] if near else 0) for i in range(384)]
    length = math.sqrt(sum(x * x for x in vector))
    return [x / length for x in vector]


def lines(count: int, word: str) -> str:
    return "\n".join(f"{word} {number}" for number in range(count))


async def fill(stores: Stores, scope: Scope, corpus: str, name: str, count: int, near: list[float]) -> str:
    """A document of `count` passages whose vectors lie around `near`."""
    rng = random.Random(name)
    text = lines(count, name)
    receipt = await upload(stores, scope, corpus, name, text)
    lease = await claim(stores)
    while lease.kind is not JobKind.INGEST:  # a deletion of the test before waits too
        lease = await claim(stores)
    await ingest_lines(stores, lease, text, [made_up(rng, near) for _ in range(count)])
    return receipt.document_id or ""


@pytest.fixture(scope="module")
async def query() -> list[float]:
    return made_up(random.Random("query"))


@pytest.fixture(scope="module")
async def crowd(database: Database, query: list[float]) -> tuple[Stores, Scope, str, str]:
    """A small corpus far from the query, beside a large one that is all around it."""
    stores = stores_on(database)
    scope = await new_organization(database)
    small, big = await new_corpus(database, scope), await new_corpus(database, scope)
    await fill(stores, scope, small, "small", SMALL, [-x for x in query])
    await fill(stores, scope, big, "big", BIG, query)
    return stores, scope, small, big


async def names(stores: Stores, scope: Scope, corpora: list[str], query: list[float], limit: int = 8) -> list[str]:
    hits = await KnowledgeVectors(stores.database).search(scope, corpora, query, SearchFilters(), limit)
    return [hit.document_name for hit in hits]


@pytest.mark.feature("A3", "C1")
async def test_a_small_corpus_gives_full_hits_beside_a_large_one(
    crowd: tuple[Stores, Scope, str, str], query: list[float]
) -> None:
    stores, scope, small, big = crowd
    assert await names(stores, scope, [small], query, SMALL) == ["small"] * SMALL
    assert await names(stores, scope, [big], query) == ["big"] * 8
    assert await names(stores, scope, [small, big], query) == ["big"] * 8


@pytest.mark.feature("A3")
async def test_another_organization_finds_nothing(
    crowd: tuple[Stores, Scope, str, str], query: list[float], database: Database
) -> None:
    stores, scope, small, big = crowd
    stranger = await new_organization(database)
    assert await names(stores, stranger, [small, big], query) == []
    forged = dataclasses.replace(stranger, audiences=scope.audiences)
    assert await names(stores, forged, [small, big], query) == []


@pytest.mark.feature("B10", "C1")
async def test_a_crowd_of_deleted_passages_does_not_hide_the_others(
    crowd: tuple[Stores, Scope, str, str], query: list[float], database: Database
) -> None:
    stores, scope, _, _ = crowd
    corpus = await new_corpus(database, scope)
    kept = await fill(stores, scope, corpus, "kept", SMALL, [-x for x in query])
    gone = await fill(stores, scope, corpus, "gone", 300, query)
    assert await names(stores, scope, [corpus], query) == ["gone"] * 8
    await stores.documents.delete_document(scope, gone)

    store = KnowledgeVectors(database)
    hits = await store.search(scope, [corpus], query, SearchFilters(), SMALL)
    assert [hit.document_id for hit in hits] == [kept] * SMALL
    assert all(hit.second_try for hit in hits)
    assert store.second_tries == 1
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


@pytest.mark.feature("B8", "C1")
async def test_passages_of_a_version_that_is_not_served_yet_neither_show_nor_crowd_out(
    crowd: tuple[Stores, Scope, str, str], query: list[float], database: Database
) -> None:
    stores, scope, _, _ = crowd
    corpus = await new_corpus(database, scope)
    await fill(stores, scope, corpus, "doc", SMALL, [-x for x in query])
    text = lines(300, "staged")
    await upload(stores, scope, corpus, "doc", text)
    lease = await stores.jobs.claim("w", 60)
    while lease is not None and lease.kind != "INGEST":
        lease = await stores.jobs.claim("w", 60)
    assert lease is not None
    version = await stores.versions.to_process(lease)
    rng = random.Random("staged")
    placed = placed_lines(version.document_id, text)
    staged = [EmbeddedChunk(one, made_up(rng, query)) for one in placed]
    await stores.versions.place_chunks(lease, version, placed)
    await stores.versions.write_chunks(lease, version, parsed(text), staged, "fake-384")

    hits = await KnowledgeVectors(database).search(scope, [corpus], query, SearchFilters(), 8)
    assert [hit.text.split()[0] for hit in hits] == ["doc"] * 8

    await stores.versions.go_live(lease, version, parsed(text), len(placed))
    hits = await KnowledgeVectors(database).search(scope, [corpus], query, SearchFilters(), 8)
    assert [hit.text.split()[0] for hit in hits] == ["staged"] * 8
    assert [hit.chunk_count for hit in hits] == [300] * 8


@pytest.mark.feature("C7")
async def test_who_may_see_one_document_in_a_crowd_gets_all_of_it(
    crowd: tuple[Stores, Scope, str, str], query: list[float], database: Database
) -> None:
    stores, scope, _, big = crowd
    mine = await fill(stores, scope, big, "mine", SMALL, [-x for x in query])
    audience = await stores.documents.set_audience(scope, mine, [scope.user_id])
    only = dataclasses.replace(scope, audiences=(audience,), principals=(scope.user_id,))
    assert await names(stores, only, [big], query, SMALL) == ["mine"] * SMALL
    many = dataclasses.replace(scope, audiences=(audience, *(f"a{number}" for number in range(6000))))
    assert await names(stores, many, [big], query, SMALL) == ["mine"] * SMALL
