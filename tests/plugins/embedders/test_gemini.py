"""Gemini as the embedder, over the wire."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Iterator

import pytest
from google.oauth2.credentials import Credentials

from matrix.errors import ProviderError, ProviderRefused, ProviderUnavailable
from matrix.plugins.embedders.gemini import GeminiEmbeddingBackend
from matrix.plugins.vendors.gemini import GeminiKey, VertexProject
from matrix.plugins.vendors.patience import Patience
from tests.contracts.embedder import EmbedderContract
from tests.wire_servers.gemini import GeminiServer
from tests.wire_servers.script import Fault, Vectors

KEY = "AIza-canary-0123456789"
AT_ONCE = Patience(tries=8, first=0)
MODELS = "/v1beta/models"


@pytest.fixture
def server() -> Iterator[GeminiServer]:
    with GeminiServer() as server:
        yield server


def backend(server: GeminiServer, model: str = "gemini-embedding-001", dimensions: int = 768) -> GeminiEmbeddingBackend:
    return GeminiEmbeddingBackend(
        GeminiKey(KEY, server.base_url),
        model=model,
        dimensions=dimensions,
        patience=AT_ONCE,
        query_patience=Patience(tries=2, first=0),
    )


@pytest.fixture
async def embedder(server: GeminiServer) -> AsyncIterator[GeminiEmbeddingBackend]:
    embedder = backend(server)
    yield embedder
    await embedder.aclose()


@pytest.mark.feature("A10")
class TestContract(EmbedderContract):
    pass


async def test_documents_and_questions_are_embedded_for_their_tasks(
    embedder: GeminiEmbeddingBackend, server: GeminiServer
) -> None:
    await embedder.embed_documents(["a", "b"])
    await embedder.embed_query("c")
    documents, question = server.requests
    assert documents.path == f"{MODELS}/gemini-embedding-001:batchEmbedContents"
    assert documents.headers["x-goog-api-key"] == KEY
    assert [r["taskType"] for r in documents.body["requests"]] == ["RETRIEVAL_DOCUMENT"] * 2
    assert [r["outputDimensionality"] for r in documents.body["requests"]] == [768] * 2
    assert [r["taskType"] for r in question.body["requests"]] == ["RETRIEVAL_QUERY"]


async def test_embedding_2_gets_each_text_as_its_own_content_with_the_task_in_it(server: GeminiServer) -> None:
    embedder = backend(server, "gemini-embedding-2", 1536)
    vectors = await embedder.embed_documents(["a", "b", "c"])
    await embedder.embed_query("d")
    sent = [[r["content"]["parts"][0]["text"] for r in request.body["requests"]] for request in server.requests]
    assert sent == [[f"title: none | text: {t}" for t in "abc"], ["task: search result | query: d"]]
    assert "taskType" not in server.requests[0].body["requests"][0]
    assert [len(v) for v in vectors] == [1536] * 3
    await embedder.aclose()


async def test_requests_stay_under_100_texts(embedder: GeminiEmbeddingBackend, server: GeminiServer) -> None:
    assert len(await embedder.embed_documents([f"text {n}" for n in range(250)])) == 250
    sizes = [len(request.body["requests"]) for request in server.requests]
    assert sum(sizes) == 250
    assert max(sizes) < 100


async def test_a_long_text_is_sent_whole_in_pieces(embedder: GeminiEmbeddingBackend, server: GeminiServer) -> None:
    text = "sentence number one. " * 1500
    (vector,) = await embedder.embed_documents([text])
    sent = [r["content"]["parts"][0]["text"] for request in server.requests for r in request.body["requests"]]
    assert "".join(sent) == text
    assert max(len(piece) for piece in sent) <= 6000
    assert math.isclose(sum(x * x for x in vector), 1, abs_tol=1e-6)


@pytest.mark.parametrize("wrong", [Vectors(count=1), Vectors(count=3), Vectors(count=0), Vectors(dimensions=3072)])
async def test_wrong_vectors_are_refused(
    embedder: GeminiEmbeddingBackend, server: GeminiServer, wrong: Vectors
) -> None:
    server.script_embeddings(wrong)
    with pytest.raises(ProviderError) as caught:
        await embedder.embed_documents(["a", "b"])
    assert caught.value.code == "broken_reply"
    assert len(server.requests) == 1


async def test_a_429_is_waited_out_and_only_its_batch_asked_again(
    embedder: GeminiEmbeddingBackend, server: GeminiServer
) -> None:
    server.script_embeddings(Vectors(), Fault(429, retry_after=0.01), Fault(503), Vectors())
    assert len(await embedder.embed_documents([f"text {n}" for n in range(150)])) == 150
    assert [len(request.body["requests"]) for request in server.requests] == [96, 54, 54, 54]


async def test_an_outage_ends_after_the_tries_with_a_passing_error(
    embedder: GeminiEmbeddingBackend, server: GeminiServer
) -> None:
    server.script_embeddings(*[Fault(500)] * 20)
    with pytest.raises(ProviderUnavailable):
        await embedder.embed_documents(["a"])
    assert len(server.requests) == 8
    with pytest.raises(ProviderUnavailable):
        await embedder.embed_query("a")
    assert len(server.requests) == 8 + 2


@pytest.mark.parametrize("status", [400, 401, 403, 404])
async def test_a_refusal_is_not_tried_again_and_does_not_tell_the_key(
    embedder: GeminiEmbeddingBackend, server: GeminiServer, status: int
) -> None:
    server.script_embeddings(Fault(status, f"API key {KEY} is wrong"))
    with pytest.raises(ProviderRefused) as caught:
        await embedder.embed_documents(["a"])
    assert KEY not in repr(caught.value)
    assert len(server.requests) == 1


async def test_broken_json_is_a_broken_reply(embedder: GeminiEmbeddingBackend, server: GeminiServer) -> None:
    server.script_embeddings(Fault(200, body='{"embeddings": [{'))
    with pytest.raises(ProviderError) as caught:
        await embedder.embed_documents(["a"])
    assert caught.value.code == "broken_reply"


@pytest.mark.parametrize(
    ("model", "method", "requests"),
    [("text-embedding-005", "predict", 1), ("gemini-embedding-001", "embedContent", 2)],
)
async def test_through_vertex(server: GeminiServer, model: str, method: str, requests: int) -> None:
    token = Credentials(token="token-1")  # type: ignore[no-untyped-call]  # google-auth has no types here
    access = VertexProject("my-project", "europe-west1", server.base_url, token)
    embedder = GeminiEmbeddingBackend(access, model=model, patience=AT_ONCE)
    assert [len(v) for v in await embedder.embed_documents(["a", "b"])] == [768] * 2
    assert len(server.requests) == requests
    place = "/v1beta1/projects/my-project/locations/europe-west1/publishers/google/models"
    assert server.requests[0].path == f"{place}/{model}:{method}"
    assert server.requests[0].headers["authorization"] == "Bearer token-1"
    assert "autoTruncate': False" in str(server.requests[0].body)
    await embedder.aclose()
