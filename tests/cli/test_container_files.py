"""Dockerfile and docker-compose.yml, as far as they can be checked where no Docker is."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import Any

import pytest
import typer.main
import yaml

from matrix.cli.main import app
from matrix.local_neo4j import NEO4J_VERSION
from matrix.settings import SHARED_NAMES, Settings

ROOT = Path(__file__).parents[2]
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SERVICES = COMPOSE["services"]
DOCKERFILE = (ROOT / "Dockerfile").read_text()


@pytest.mark.feature("H6")
def test_each_service_says_when_it_is_well_and_waits_for_what_it_needs() -> None:
    assert set(SERVICES) == {"neo4j", "api", "worker"}
    for service in SERVICES.values():
        assert service["healthcheck"]["test"]
        assert service["restart"] == "unless-stopped"
    assert SERVICES["api"]["depends_on"]["neo4j"]["condition"] == "service_healthy"
    assert SERVICES["worker"]["depends_on"]["api"]["condition"] == "service_healthy"


def test_data_outlives_containers() -> None:
    mounted = {volume.partition(":")[0] for service in SERVICES.values() for volume in service["volumes"]}
    assert mounted == set(COMPOSE["volumes"])
    assert f"VOLUME {SERVICES['api']['volumes'][0].partition(':')[2]}" in DOCKERFILE


def test_the_database_is_the_one_that_is_tested() -> None:
    assert SERVICES["neo4j"]["image"] == f"neo4j:{NEO4J_VERSION}-community"


def test_nothing_listens_beyond_this_machine() -> None:
    assert all(port.startswith("127.0.0.1:") for service in SERVICES.values() for port in service["ports"])


def test_every_variable_and_command_is_known() -> None:
    commands = set(typer.main.get_command(app).commands)  # type: ignore[attr-defined]  # a group
    for name in ("api", "worker"):
        assert SERVICES[name]["command"].split()[1] in commands
        for variable in SERVICES[name]["environment"]:
            known = variable in SHARED_NAMES or variable.removeprefix("MATRIX_").lower() in Settings.model_fields
            assert known, variable


def test_the_image_is_made_of_what_is_there_and_runs_as_nobody_special() -> None:
    lines = (line.split()[1:-1] for line in DOCKERFILE.splitlines() if re.match(r"COPY (?!--)", line))
    ignored = (ROOT / ".dockerignore").read_text().split()
    for source in itertools.chain.from_iterable(lines):
        assert (ROOT / source).exists()
        assert source not in ignored
    assert re.search(r"^USER (?!root)\w+", DOCKERFILE, re.MULTILINE)
