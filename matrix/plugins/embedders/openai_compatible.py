"""Any endpoint with an OpenAI-compatible `/embeddings` as the embedder. How it is reached, and what its errors
mean, is in `matrix.plugins.vendors.openai`."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AsyncExitStack
from functools import partial
from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, Field, FiniteFloat, ValidationError

from matrix.plugins.embedders.pieces import Piece, batch_pieces, cut_pieces, pool_pieces
from matrix.plugins.vendors.failures import broken_reply
from matrix.plugins.vendors.http_client import new_http_client
from matrix.plugins.vendors.openai import PROVIDER, OpenAiEndpoint, connect_openai, openai_failures
from matrix.plugins.vendors.patience import FOR_DOCUMENTS, FOR_PEOPLE, TIMEOUTS, Patience, Timeouts, retry

if TYPE_CHECKING:
    import httpx2
    from openai import AsyncOpenAI

_MOST_TEXTS = 96
_MOST_BYTES = 240_000
_PIECE_BYTES = 6_000  # OpenAI's models read 8,191 tokens; others 2,048 or fewer
_SHORTENABLE = "text-embedding-3"  # the models that make shorter vectors on request


class OpenAiCompatibleEmbedder:
    """Embedder port. `dimensions` is what the endpoint must send; `probe_dimensions` finds it out.

    `document_prefix` and `query_prefix` are put before texts for models that were trained so (E5, nomic, …).
    `http_client` is the caller's to close, and may be guarded. Errors: ProviderUnavailable (after the tries of
    `patience`), ProviderRefused, ProviderError with code `broken_reply`.
    """

    languages: tuple[str, ...] | None = None

    def __init__(
        self,
        endpoint: OpenAiEndpoint,
        *,
        model: str,
        dimensions: int,
        document_prefix: str = "",
        query_prefix: str = "",
        timeouts: Timeouts = TIMEOUTS,
        patience: Patience = FOR_DOCUMENTS,
        query_patience: Patience = FOR_PEOPLE,
        http_client: httpx2.AsyncClient | None = None,
    ) -> None:
        self.name = model
        self.dimensions = dimensions
        self._endpoint = endpoint
        self._prefixes = (document_prefix, query_prefix)
        self._patience = patience
        self._query_patience = query_patience
        self._owns_client = http_client is None
        self._http_client = http_client or new_http_client(timeouts)
        self._client = connect_openai(endpoint, self._http_client)

    async def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        """Unit vectors in the order of `texts`; a text over 6,000 bytes is embedded in pieces."""
        return await self._embed(texts, self._prefixes[0], self._patience)

    async def embed_query(self, text: str) -> list[float]:
        """The unit vector of a question."""
        return (await self._embed([text], self._prefixes[1], self._query_patience))[0]

    async def aclose(self) -> None:
        if self._owns_client:
            await self._http_client.aclose()

    async def _embed(self, texts: Sequence[str], prefix: str, patience: Patience) -> list[list[float]]:
        pieces = cut_pieces(texts, _PIECE_BYTES)
        vectors: list[list[float]] = []
        for batch in batch_pieces(pieces, _MOST_TEXTS, _MOST_BYTES):
            vectors += await retry(partial(self._ask, batch, prefix), patience)
        return pool_pieces(pieces, vectors)

    async def _ask(self, batch: Sequence[Piece], prefix: str) -> list[list[float]]:
        wanted = self.dimensions if self.name.startswith(_SHORTENABLE) else None
        words = [prefix + piece.words for piece in batch]
        vectors = await _request(self._client, self._endpoint, self.name, words, wanted)
        if any(len(vector) != self.dimensions for vector in vectors):
            raise broken_reply(PROVIDER, f"a vector that has not {self.dimensions} dimensions")
        return vectors


async def probe_dimensions(
    endpoint: OpenAiEndpoint,
    model: str,
    *,
    timeouts: Timeouts = TIMEOUTS,
    patience: Patience = FOR_PEOPLE,
    http_client: httpx2.AsyncClient | None = None,
) -> int:
    """How many numbers the model's vectors have, found by embedding a word. Errors as those of the embedder."""
    async with AsyncExitStack() as stack:
        if http_client is None:
            http_client = await stack.enter_async_context(new_http_client(timeouts))
        client = connect_openai(endpoint, http_client)
        return len((await retry(lambda: _request(client, endpoint, model, ["word"], None), patience))[0])


async def _request(
    client: AsyncOpenAI, endpoint: OpenAiEndpoint, model: str, words: list[str], dimensions: int | None
) -> list[list[float]]:
    from openai import omit  # noqa: PLC0415

    with openai_failures(endpoint):
        # `float`, because the SDK's own default, base64, is not spoken everywhere; raw, because it checks nothing
        reply = await client.embeddings.with_raw_response.create(
            model=model, input=words, encoding_format="float", dimensions=dimensions or omit
        )
    return _vectors(reply.text, len(words))


def _vectors(reply: str, expected: int) -> list[list[float]]:
    try:
        rows = _Reply.model_validate_json(reply).data
    except ValidationError:
        raise broken_reply(PROVIDER, "it holds no vectors") from None
    if len(rows) != expected:
        raise broken_reply(PROVIDER, f"{len(rows)} vectors for {expected} texts")
    return [row.embedding for row in sorted(rows, key=lambda row: row.index)]


class _Row(BaseModel):
    index: int
    embedding: Annotated[list[FiniteFloat], Field(min_length=1)]


class _Reply(BaseModel):
    data: list[_Row]
