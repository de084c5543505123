from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from matrix.cli.data_folder import Neo4jRun
from matrix.cli.folder_lock import hold_folder, holder
from matrix.cli.run_file import Run, read_run, remove_run, write_run
from matrix.errors import Conflict
from tests.cli.processes import folder_held_by_another


def run(pid: int) -> Run:
    return Run(pid, "u", "g", "a", "default", "key", "admin@x", "pw", Neo4jRun("bolt://x", None, "neo4j", "p"))


@pytest.mark.feature("A6")
def test_what_runs_is_found_while_its_process_works_in_the_folder(tmp_path: Path) -> None:
    with hold_folder(tmp_path):
        write_run(tmp_path, run(os.getpid()))
        assert read_run(tmp_path) == run(os.getpid())
        assert stat.S_IMODE((tmp_path / "run.json").stat().st_mode) == 0o600
    assert read_run(tmp_path) is None
    assert remove_run(tmp_path)
    assert not remove_run(tmp_path)


def test_a_file_of_a_killed_process_misleads_nobody_even_when_its_number_is_used_again(tmp_path: Path) -> None:
    with folder_held_by_another(tmp_path) as other:
        write_run(tmp_path, run(other.pid))
        assert read_run(tmp_path) == run(other.pid)
        write_run(tmp_path, run(os.getpid()))  # alive, but not who works here
        assert read_run(tmp_path) is None
        write_run(tmp_path, run(other.pid))
        other.kill()
        other.wait()
        assert read_run(tmp_path) is None
        assert holder(tmp_path) is None


@pytest.mark.feature("A6")
def test_one_at_a_time_in_a_folder(tmp_path: Path) -> None:
    with folder_held_by_another(tmp_path) as other:
        with pytest.raises(Conflict, match=str(other.pid)), hold_folder(tmp_path):
            pass
        assert holder(tmp_path) == other.pid
    with hold_folder(tmp_path):
        assert holder(tmp_path) == os.getpid()
