"""Gemini as the embedder: the Gemini API with a key, or Vertex AI with a project. How it is reached, and what its
errors mean, is in `matrix.plugins.vendors.gemini`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from matrix.plugins.embedders.pieces import Piece, batch_pieces, cut_pieces, pool_pieces
from matrix.plugins.vendors.failures import broken_reply
from matrix.plugins.vendors.gemini import PROVIDER, GeminiAccess, GeminiKey, connect_gemini, gemini_failures
from matrix.plugins.vendors.http_client import new_http_client
from matrix.plugins.vendors.patience import FOR_DOCUMENTS, FOR_PEOPLE, TIMEOUTS, Patience, Timeouts, retry

if TYPE_CHECKING:
    import httpx2
    from google.genai import types

_MOST_TEXTS = 96  # the API takes fewer than 100
_MOST_BYTES = 60_000  # Vertex takes 20,000 tokens in one request
_PIECE_BYTES = 6_000  # the models read 2,048 tokens and cut off the rest without a word
_ONE_BY_ONE = re.compile(r"gemini-embedding-001")  # on Vertex this model takes a single text
_TASK_IN_TEXT = re.compile(r"gemini-embedding-[1-9]")  # 2 and later (the first is 001) read the task before the text
_DOCUMENT = ("RETRIEVAL_DOCUMENT", "title: none | text: ")
_QUERY = ("RETRIEVAL_QUERY", "task: search result | query: ")


class GeminiEmbeddingBackend:
    """Embedder port. Vectors of `dimensions`, normalised here (768 of 3,072 come unnormalised).

    `http_client` is the caller's to close, and may be guarded. Errors: ProviderUnavailable (after the tries of
    `patience`), ProviderRefused, ProviderError with code `broken_reply`.
    """

    languages: tuple[str, ...] | None = None

    def __init__(
        self,
        access: GeminiAccess,
        *,
        model: str = "gemini-embedding-001",
        dimensions: int = 768,
        timeouts: Timeouts = TIMEOUTS,
        patience: Patience = FOR_DOCUMENTS,
        query_patience: Patience = FOR_PEOPLE,
        http_client: httpx2.AsyncClient | None = None,
    ) -> None:
        self.name = model
        self.dimensions = dimensions
        self._access = access
        self._patience = patience
        self._query_patience = query_patience
        self._owns_client = http_client is None
        self._http_client = http_client or new_http_client(timeouts)
        self._client = connect_gemini(access, self._http_client, timeouts)
        on_vertex = not isinstance(access, GeminiKey)
        self._most_texts = 1 if on_vertex and _ONE_BY_ONE.search(model) else _MOST_TEXTS

    async def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        """Unit vectors in the order of `texts`; a text over 2,048 tokens is embedded in pieces."""
        return await self._embed(texts, _DOCUMENT, self._patience)

    async def embed_query(self, text: str) -> list[float]:
        """The unit vector of a question; the model embeds questions differently from documents."""
        return (await self._embed([text], _QUERY, self._query_patience))[0]

    async def aclose(self) -> None:
        if self._owns_client:
            await self._http_client.aclose()

    async def _embed(self, texts: Sequence[str], task: tuple[str, str], patience: Patience) -> list[list[float]]:
        pieces = cut_pieces(texts, _PIECE_BYTES)
        vectors: list[list[float]] = []
        for batch in batch_pieces(pieces, self._most_texts, _MOST_BYTES):
            vectors += await retry(partial(self._ask, batch, task), patience)
        return pool_pieces(pieces, vectors)

    async def _ask(self, batch: Sequence[Piece], task: tuple[str, str]) -> list[list[float]]:
        prefix = task[1] if _TASK_IN_TEXT.search(self.name) else ""
        with gemini_failures(self._access):
            reply = await self._client.aio.models.embed_content(
                model=self.name, contents=_contents(prefix, batch), config=self._config(task[0])
            )
        vectors = [list(one.values or ()) for one in reply.embeddings or ()]
        if len(vectors) != len(batch):
            raise broken_reply(PROVIDER, f"{len(vectors)} vectors for {len(batch)} texts")
        if any(len(vector) != self.dimensions for vector in vectors):
            raise broken_reply(PROVIDER, f"a vector that has not {self.dimensions} dimensions")
        return vectors

    def _config(self, task: str) -> types.EmbedContentConfig:
        from google.genai import types  # noqa: PLC0415

        return types.EmbedContentConfig(
            task_type=None if _TASK_IN_TEXT.search(self.name) else task,
            output_dimensionality=self.dimensions,
            # elsewhere the SDK refuses the field; there the pieces alone keep texts short enough
            auto_truncate=None if isinstance(self._access, GeminiKey) else False,
        )


def _contents(prefix: str, batch: Sequence[Piece]) -> list[types.ContentUnion]:
    # a list of plain strings would be ONE content to gemini-embedding-2, and give one vector for all
    from google.genai import types  # noqa: PLC0415

    return [types.Content(role="user", parts=[types.Part(text=prefix + piece.words)]) for piece in batch]
