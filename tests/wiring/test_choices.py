from __future__ import annotations

from pathlib import Path

import pytest

from matrix.errors import InvalidSettings
from matrix.plugins.embedders.gemini import GeminiEmbeddingBackend
from matrix.plugins.embedders.minilm import MiniLmEmbedder
from matrix.plugins.models.extractive.answerer import ExtractiveAnswerer
from matrix.plugins.models.gemini_model import GeminiModel
from matrix.plugins.models.openai_model import OpenAiModel
from matrix.settings import Settings
from matrix.wiring.choices import as_pinned, default_model, make_embedder

LOCAL = ExtractiveAnswerer()


def settings(tmp_path: Path, **sections: object) -> Settings:
    return Settings(_env_file=None, data_dir=tmp_path, **sections)  # type: ignore[call-arg,arg-type]


@pytest.mark.feature("A10")
def test_without_any_key_everything_is_local(tmp_path: Path) -> None:
    plain = settings(tmp_path)
    assert isinstance(make_embedder(plain), MiniLmEmbedder)
    assert default_model(plain, LOCAL) is LOCAL


@pytest.mark.feature("A10")
def test_a_key_at_the_first_start_chooses_embedder_and_model(tmp_path: Path) -> None:
    with_key = settings(tmp_path, gemini={"api_key": "k"})
    embedder = make_embedder(with_key)
    assert isinstance(embedder, GeminiEmbeddingBackend)
    assert (embedder.name, embedder.dimensions) == ("gemini-embedding-001", 768)
    assert isinstance(default_model(with_key, LOCAL), GeminiModel)
    assert isinstance(default_model(settings(tmp_path, openai={"api_key": "k"}), LOCAL), OpenAiModel)


@pytest.mark.feature("A10")
def test_a_key_set_later_changes_the_model_and_never_the_embedder(tmp_path: Path) -> None:
    later = as_pinned(settings(tmp_path, gemini={"api_key": "k"}), "minilm-l6-v2-int8", 384)
    assert isinstance(make_embedder(later), MiniLmEmbedder)
    assert isinstance(default_model(later, LOCAL), GeminiModel)


def test_a_database_pinned_to_gemini_says_which_key_is_missing(tmp_path: Path) -> None:
    without_key = as_pinned(settings(tmp_path), "gemini-embedding-001", 768)
    with pytest.raises(InvalidSettings, match="GEMINI_API_KEY"):
        make_embedder(without_key)


def test_an_embedder_named_in_the_settings_is_not_overruled(tmp_path: Path) -> None:
    named = settings(tmp_path, gemini={"api_key": "k"}, embedder={"provider": "gemini"})
    assert as_pinned(named, "minilm-l6-v2-int8", 384) == named
