from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from matrix.cli.data_folder import (
    Neo4jRun,
    Run,
    ensure_secrets,
    read_run,
    remove_run,
    with_database,
    with_secrets,
    write_run,
)
from matrix.errors import InvalidSettings
from matrix.settings import read_settings

NEO4J = Neo4jRun("bolt://127.0.0.1:1", None, "neo4j", "p")


def run(pid: int) -> Run:
    return Run(pid, "u", "g", "a", "default", "key", "admin@x", "pw", NEO4J)


@pytest.mark.feature("A6")
def test_secrets_are_made_once_and_only_their_owner_may_read_them(tmp_path: Path) -> None:
    first = ensure_secrets(tmp_path)
    assert ensure_secrets(tmp_path) == first
    assert stat.S_IMODE((tmp_path / "secrets.json").stat().st_mode) == 0o600
    assert len(first.admin_password) >= 12


def test_damaged_secrets_stop_the_start_with_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "secrets.json").write_text("{")
    with pytest.raises(InvalidSettings, match="damaged"):
        ensure_secrets(tmp_path)


def test_what_runs_is_found_until_its_process_is_gone(tmp_path: Path) -> None:
    write_run(tmp_path, run(os.getpid()))
    assert read_run(tmp_path) == run(os.getpid())
    assert stat.S_IMODE((tmp_path / "run.json").stat().st_mode) == 0o600
    write_run(tmp_path, run(2**22 + 1))
    assert read_run(tmp_path) is None
    remove_run(tmp_path)
    remove_run(tmp_path)


def test_settings_take_what_they_lack_from_the_folder(tmp_path: Path) -> None:
    secrets = ensure_secrets(tmp_path)
    settings = with_secrets(read_settings(security={"admin_password": "my own password"}), secrets)
    assert settings.security.admin_password is not None
    assert settings.security.admin_password.get_secret_value() == "my own password"
    assert settings.security.signing_key is not None
    assert with_database(settings, NEO4J).neo4j.uri == "bolt://127.0.0.1:1"
    named = read_settings(neo4j={"uri": "bolt://elsewhere:7687"})
    assert with_database(named, NEO4J).neo4j.uri == "bolt://elsewhere:7687"
