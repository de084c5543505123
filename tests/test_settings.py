from __future__ import annotations

import re
from pathlib import Path

import pytest
from pydantic import BaseModel

from matrix.errors import InvalidSettings
from matrix.settings import Settings, read_settings

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("MATRIX_PORT", "99999", "MATRIX_PORT"),
        ("MATRIX_NEO4J__URI", "http://x", "MATRIX_NEO4J__URI"),
        ("MATRIX_WORKER__LEASE_SECONDS", "soon", "MATRIX_WORKER__LEASE_SECONDS"),
        ("MATRIX_EMBEDDER__PROVIDER", "magic", "MATRIX_EMBEDDER__PROVIDER"),
    ],
)
def test_a_wrong_setting_is_named_in_one_sentence(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, said: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(InvalidSettings) as caught:
        read_settings()
    assert said in caught.value.message
    assert "\n" not in caught.value.message


def test_names_that_other_tools_share_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEO4J_URI", "neo4j+s://aura.example")
    monkeypatch.setenv("GEMINI_API_KEY", "shared")
    monkeypatch.setenv("MATRIX_GEMINI__API_KEY", "own")
    settings = read_settings()
    assert settings.neo4j.uri == "neo4j+s://aura.example"
    assert settings.gemini.api_key is not None
    assert settings.gemini.api_key.get_secret_value() == "own"


def test_secrets_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "canary-value")
    assert "canary-value" not in repr(read_settings())


def test_every_setting_is_in_the_example_file() -> None:
    listed = set(re.findall(r"^#MATRIX_(\w+)=", (ROOT / ".env.example").read_text(), re.MULTILINE))
    names = set[str]()
    for name, field in Settings.model_fields.items():
        if isinstance(field.default, BaseModel):
            names |= {f"{name}__{inner}".upper() for inner in type(field.default).model_fields}
        else:
            names.add(name.upper())
    assert listed == names
