from __future__ import annotations

import errno
import stat
from pathlib import Path

import pytest

from matrix.cli.data_folder import Neo4jRun, ensure_secrets, with_database, with_secrets
from matrix.cli.private_file import CannotWrite, cannot_write, write_private
from matrix.errors import InvalidSettings
from matrix.settings import read_settings

NEO4J = Neo4jRun("bolt://127.0.0.1:1", None, "neo4j", "p")


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


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CannotWrite, match="file") as caught:
        write_private(tmp_path / "file" / "secrets.json", "{}")
    assert "--data-dir" in caught.value.advice


def test_a_full_disk_is_called_that(tmp_path: Path) -> None:
    error = cannot_write(tmp_path, OSError(errno.ENOSPC, "No space left on device"))
    assert error.code == "disk_full"
    assert "disk space" in error.advice


def test_settings_take_what_they_lack_from_the_folder(tmp_path: Path) -> None:
    secrets = ensure_secrets(tmp_path)
    settings = with_secrets(read_settings(security={"admin_password": "my own password"}), secrets)
    assert settings.security.admin_password is not None
    assert settings.security.admin_password.get_secret_value() == "my own password"
    assert settings.security.signing_key is not None
    assert with_database(settings, NEO4J).neo4j.uri == "bolt://127.0.0.1:1"
    named = read_settings(neo4j={"uri": "bolt://elsewhere:7687"})
    assert with_database(named, NEO4J).neo4j.uri == "bolt://elsewhere:7687"
