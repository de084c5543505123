"""The fakes pass the same contract suites as the real adapters."""

from __future__ import annotations

import pytest

from tests.contracts.embedder import EmbedderContract
from tests.contracts.language_model import LanguageModelContract, Script
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.language_model import ScriptedModel


class TestFakeEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> FakeEmbedder:
        return FakeEmbedder()


class TestScriptedModel(LanguageModelContract):
    @pytest.fixture
    def model(self) -> ScriptedModel:
        return ScriptedModel()

    @pytest.fixture
    def script(self, model: ScriptedModel) -> Script:
        return model.script
