"""The default embedder: all-MiniLM-L6-v2 on this machine's processor, without any account or network. English.

Its files, and how they are made fast, are in `minilm_files`; the cutting of long texts is in `minilm_windows`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from matrix.plugins.embedders.minilm_files import Report, read_fast_model, read_tokenizer
from matrix.plugins.embedders.minilm_windows import cut_windows

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

    Vector = npt.NDArray[np.float32]

P = ParamSpec("P")
T = TypeVar("T")

# Tokens, the two special ones included. The model was trained on 256 and reads 512: on 1,000 SciFact abstracts (median
# 310 tokens) nDCG@10 was .812 and .862 with pooled windows of 256, .826 and .867 with 512, at 8-14 % more CPU.
WINDOW = 512
_CLS, _SEP = 101, 102


@dataclass(frozen=True, slots=True)
class _Loaded:
    session: InferenceSession
    tokenizer: Tokenizer


class MiniLmEmbedder:
    """Embedder port. Nothing is loaded before the first use or `prepare`; all work runs on one thread of its own,
    window by window, so that a question waits for one window of a document at most.

    `threads` is the number of processor threads it may use. Errors: ModelFilesDamaged, OSError.
    """

    name = "minilm-l6-v2-int8"
    dimensions = 384
    languages: tuple[str, ...] | None = ("en",)

    def __init__(self, cache: Path, *, threads: int = 2) -> None:
        self._cache = cache
        self._threads = threads
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="minilm")
        self._loaded: _Loaded | None = None

    async def prepare(self, report: Report | None = None) -> None:
        """Make the model files ready and load them, now rather than at the first use."""
        await self._run(self._load, report or _silent)

    async def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        """Unit vectors of 384, in the order of `texts`. No token is left out, however long a text is, and a text has
        the same vector in any company."""
        return [_unit(await self._embed(ids)) for ids in await self._run(self._tokenize, list(texts))]

    async def embed_query(self, text: str) -> list[float]:
        """The unit vector of a question; the model makes no difference between questions and documents."""
        return (await self.embed_documents([text]))[0]

    async def _embed(self, ids: Sequence[int]) -> Vector:
        sums = [await self._run(self._sum, window) for window in cut_windows(ids, WINDOW - 2)]
        return sum(sums[1:], start=sums[0])

    async def aclose(self) -> None:
        self._worker.shutdown(wait=False, cancel_futures=True)
        self._loaded = None

    async def _run(self, work: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._worker, partial(work, *arguments, **named))

    def _load(self, report: Report) -> _Loaded:
        if self._loaded is None:
            self._loaded = _Loaded(
                open_session(read_fast_model(self._cache, report), self._threads), open_tokenizer(read_tokenizer())
            )
        return self._loaded

    def _tokenize(self, texts: list[str]) -> list[list[int]]:
        encoded = self._load(_silent).tokenizer.encode_batch(texts, add_special_tokens=False)
        return [one.ids for one in encoded]

    def _sum(self, window: Sequence[int]) -> Vector:
        return sum_tokens(self._load(_silent).session, window)


def sum_tokens(session: InferenceSession, window: Sequence[int]) -> Vector:
    """The sum of the token vectors of one window, (384,): sums of windows add up to the direction of a text's mean.

    One window at a time, never padded: the int8 model scales its activations by the whole batch, so company would
    change a vector (cosine down to .97), and above 100 tokens a batch is no faster.
    """
    import numpy as np  # noqa: PLC0415  # loaded with the model, not with the CLI

    ids = np.array([(_CLS, *window, _SEP)], np.int64)
    feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
    hidden: Vector = session.run(None, feed)[0][0]
    summed: Vector = hidden.sum(axis=0)
    return summed


def open_session(model: bytes, threads: int) -> InferenceSession:
    import onnxruntime as ort  # noqa: PLC0415

    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    return ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def open_tokenizer(json: str) -> Tokenizer:
    from tokenizers import Tokenizer  # noqa: PLC0415

    tokenizer = Tokenizer.from_str(json)
    tokenizer.no_truncation()  # the file cuts off, and pads, at 128 tokens
    tokenizer.no_padding()
    return tokenizer


def _unit(vector: Vector) -> list[float]:
    # mean, then length 1: the mean's divisor falls out
    length = float((vector @ vector) ** 0.5)
    unit: list[float] = (vector / length).tolist()
    return unit


def _silent(_: str) -> None: ...
