"""One prepared model for all tests here: making it takes seconds of processor time."""

from __future__ import annotations

from pathlib import Path

import pytest

from matrix.plugins.embedders.minilm_files import read_fast_model


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache folder with the fast model in it. Not to be damaged: take a copy."""
    cache = tmp_path_factory.mktemp("models")
    read_fast_model(cache, lambda _: None)
    return cache
