"""The local embedder: documents a second of the prepared int8 model against the same model in fp32, in one run, and how
near their vectors are. Only the ratio travels between machines.

    python -m benchmarks.embedding [--documents 60] [--tokens 240] [--threads 2]
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from matrix.plugins.embedders.minilm import open_session, open_tokenizer, sum_tokens
from matrix.plugins.embedders.minilm_files import find_model, fold_to_fp32, read_fast_model, read_tokenizer

if TYPE_CHECKING:
    import numpy.typing as npt
    from onnxruntime import InferenceSession

_CORPUS = Path(__file__).parents[2] / "shared/benchmarks/retrieval/scifact/corpus.jsonl"
_ROUNDS = 3


@dataclass(frozen=True, slots=True)
class Measured:
    """Documents a second of wall clock and of processor time, medians of the rounds, and the unit vectors."""

    per_second: float
    per_cpu_second: float
    vectors: npt.NDArray[np.float32]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--documents", type=int, default=60)
    parser.add_argument("--tokens", type=int, default=240)
    parser.add_argument("--threads", type=int, default=2)
    chosen = parser.parse_args()
    windows = make_windows(chosen.documents, chosen.tokens)
    with tempfile.TemporaryDirectory() as folder:
        fp32_file = Path(folder, "fp32.onnx")
        fold_to_fp32(find_model(), fp32_file)
        fp32 = measure(open_session(fp32_file.read_bytes(), chosen.threads), windows)
        int8 = measure(open_session(read_fast_model(Path(folder), print), chosen.threads), windows)
    report(fp32, int8, chosen.documents, chosen.tokens)


def make_windows(count: int, tokens: int) -> list[list[int]]:
    """The first `tokens` of as many abstracts that are long enough."""
    if not _CORPUS.exists():
        sys.exit("This benchmark reads ../shared/benchmarks, which is not here.")
    tokenizer = open_tokenizer(read_tokenizer())
    with _CORPUS.open() as lines:
        texts = (json.loads(line)["text"] for line in lines)
        ids = (tokenizer.encode(text, add_special_tokens=False).ids for text in texts)
        return list(islice((one[:tokens] for one in ids if len(one) >= tokens), count))


def measure(session: InferenceSession, windows: Sequence[Sequence[int]]) -> Measured:
    sum_tokens(session, windows[0])  # the first run allocates
    walls, processors = [], []
    for _ in range(_ROUNDS):
        wall, processor = time.perf_counter(), time.process_time()
        vectors = np.stack([sum_tokens(session, window) for window in windows])
        walls.append(len(windows) / (time.perf_counter() - wall))
        processors.append(len(windows) / (time.process_time() - processor))
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return Measured(statistics.median(walls), statistics.median(processors), unit)


def report(fp32: Measured, int8: Measured, documents: int, tokens: int) -> None:
    cosines = (fp32.vectors * int8.vectors).sum(axis=1)
    print(f"{documents} documents of {tokens} tokens, median of {_ROUNDS} rounds")
    print(f"fp32: {fp32.per_second:.1f} documents/s, {fp32.per_cpu_second:.1f} a processor-second")
    print(f"int8: {int8.per_second:.1f} documents/s, {int8.per_cpu_second:.1f} a processor-second")
    print(
        f"ratio int8/fp32: {int8.per_second / fp32.per_second:.2f} by wall clock, "
        f"{int8.per_cpu_second / fp32.per_cpu_second:.2f} by processor time"
    )
    print(f"cosine int8 to fp32: mean {cosines.mean():.4f}, lowest {cosines.min():.4f}")


if __name__ == "__main__":
    main()
