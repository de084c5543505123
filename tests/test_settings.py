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
        ("MATRIX_WORKER__CONCURRENZY", "2", "MATRIX_WORKER__CONCURRENZY"),
        ("MATRIX_WORKER__HEARTBEAT_SECONDS", "59", "MATRIX_WORKER"),
        ("MATRIX_ALLOWED_PRIVATE_HOSTS", "localhost", "MATRIX_ALLOWED_PRIVATE_HOSTS"),
        ("MATRIX_SECURITY__ALLOWED_ORIGINS", "https://x", "MATRIX_SECURITY"),
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


def test_the_shared_names_stand_in_the_file_too_and_empty_lines_mean_the_default(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / ".env").write_text("NEO4J_URI=bolt://file:7687\nMATRIX_PORT=\nMATRIX_ALLOWED_PRIVATE_HOSTS=\n")
    monkeypatch.chdir(tmp_path)
    settings = read_settings()
    assert (settings.neo4j.uri, settings.port, settings.allowed_private_hosts) == ("bolt://file:7687", 8080, ())
    monkeypatch.setenv("NEO4J_URI", "bolt://environment:7687")
    assert read_settings().neo4j.uri == "bolt://environment:7687"


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
