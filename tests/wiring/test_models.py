from __future__ import annotations

from pathlib import Path

import pytest

from matrix.settings import EmbedderSettings, OpenAISettings, read_settings
from matrix.wiring.models import prepare_embedder


@pytest.mark.feature("A6", "A10")
async def test_the_local_model_is_made_once(tmp_path: Path) -> None:
    settings = read_settings(data_dir=tmp_path, embedder=EmbedderSettings(provider="local"))
    await prepare_embedder(settings)
    made = {path: path.stat().st_mtime_ns for path in (tmp_path / "models").rglob("*") if path.is_file()}
    assert any(path.suffix == ".onnx" for path in made)
    await prepare_embedder(settings)
    assert {path: path.stat().st_mtime_ns for path in made} == made


async def test_a_provider_elsewhere_needs_nothing_here(tmp_path: Path) -> None:
    embedder = EmbedderSettings(provider="openai", model="m", dimensions=8)
    openai = OpenAISettings(base_url="http://127.0.0.1:1/v1")
    await prepare_embedder(read_settings(data_dir=tmp_path, embedder=embedder, openai=openai))
    assert list((tmp_path / "models").iterdir()) == []
