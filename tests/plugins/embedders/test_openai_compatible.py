"""An OpenAI-compatible endpoint as the embedder, over the wire."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest

from matrix.errors import ProviderError, ProviderRefused, ProviderUnavailable
from matrix.plugins.embedders.openai_compatible import OpenAiCompatibleEmbedder, probe_dimensions
from matrix.plugins.vendors.openai import OpenAiEndpoint
from matrix.plugins.vendors.patience import Patience
from tests.contracts.embedder import EmbedderContract
from tests.wire_servers.openai import OpenAiServer
from tests.wire_servers.script import Fault, Vectors

KEY = "sk-canary-0123456789"
AT_ONCE = Patience(tries=8, first=0)


@pytest.fixture
def server() -> Iterator[OpenAiServer]:
    with OpenAiServer() as server:
        yield server


@pytest.fixture
async def embedder(server: OpenAiServer) -> AsyncIterator[OpenAiCompatibleEmbedder]:
    endpoint = OpenAiEndpoint(server.base_url, KEY)
    embedder = OpenAiCompatibleEmbedder(
        endpoint, model="nomic-embed-text", dimensions=768, patience=AT_ONCE, query_patience=AT_ONCE
    )
    yield embedder
    await embedder.aclose()


@pytest.mark.feature("A10")
class TestContract(EmbedderContract):
    pass


async def test_the_request(embedder: OpenAiCompatibleEmbedder, server: OpenAiServer) -> None:
    await embedder.embed_documents(["a", "b"])
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert server.requests[0].body == {"model": "nomic-embed-text", "input": ["a", "b"], "encoding_format": "float"}


async def test_only_models_that_can_shorten_are_asked_to(server: OpenAiServer) -> None:
    embedder = OpenAiCompatibleEmbedder(OpenAiEndpoint(server.base_url), model="text-embedding-3-small", dimensions=256)
    assert len(await embedder.embed_query("a")) == 256
    assert server.requests[0].body["dimensions"] == 256
    await embedder.aclose()


async def test_prefixes_go_before_documents_and_questions(server: OpenAiServer) -> None:
    embedder = OpenAiCompatibleEmbedder(
        OpenAiEndpoint(server.base_url),
        model="e5",
        dimensions=768,
        document_prefix="passage: ",
        query_prefix="query: ",
    )
    await embedder.embed_documents(["a"])
    await embedder.embed_query("b")
    assert [request.body["input"] for request in server.requests] == [["passage: a"], ["query: b"]]
    await embedder.aclose()


async def test_dimensions_are_found_out(server: OpenAiServer) -> None:
    server.script_embeddings(Fault(503), Vectors(dimensions=1024))
    assert await probe_dimensions(OpenAiEndpoint(server.base_url), "bge-m3", patience=AT_ONCE) == 1024


@pytest.mark.parametrize("wrong", [Vectors(count=1), Vectors(count=3), Vectors(count=0), Vectors(dimensions=1024)])
async def test_wrong_vectors_are_refused(
    embedder: OpenAiCompatibleEmbedder, server: OpenAiServer, wrong: Vectors
) -> None:
    server.script_embeddings(wrong)
    with pytest.raises(ProviderError) as caught:
        await embedder.embed_documents(["a", "b"])
    assert caught.value.code == "broken_reply"


@pytest.mark.parametrize(
    "body",
    [
        '{"data": [{"ind',
        '{"data": null}',
        '"text"',
        "[]",
        '{"data": [{"index": 0, "embedding": null}]}',
        '{"data": [7]}',
    ],
)
async def test_a_broken_body_is_a_broken_reply(
    embedder: OpenAiCompatibleEmbedder, server: OpenAiServer, body: str
) -> None:
    server.script_embeddings(Fault(200, body=body))
    with pytest.raises(ProviderError) as caught:
        await embedder.embed_documents(["a"])
    assert caught.value.code == "broken_reply"


async def test_outages_pass_and_refusals_last(embedder: OpenAiCompatibleEmbedder, server: OpenAiServer) -> None:
    server.script_embeddings(Fault(429, retry_after=0.01), Fault(502), Vectors(), Fault(404, f"no model for {KEY}"))
    assert len(await embedder.embed_documents(["a"])) == 1
    with pytest.raises(ProviderRefused, match="no model") as caught:
        await embedder.embed_documents(["a"])
    assert KEY not in repr(caught.value)
    assert len(server.requests) == 4


async def test_nobody_listens() -> None:
    with pytest.raises(ProviderUnavailable):
        await probe_dimensions(OpenAiEndpoint("http://127.0.0.1:9/v1"), "m", patience=Patience(tries=2, first=0))
