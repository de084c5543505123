"""Settings of a command that opens the database itself: with the data folder's secrets and its running Neo4j."""

from __future__ import annotations

from pathlib import Path

from matrix.cli.data_folder import ensure_secrets, with_database, with_secrets
from matrix.cli.options import settings_in
from matrix.cli.run_file import read_run
from matrix.errors import InvalidSettings
from matrix.settings import Settings


def process_settings(data_dir: Path | None, **overrides: object) -> Settings:
    """Errors: InvalidSettings where no database is named and none runs in the data folder; CannotWrite."""
    settings = settings_in(data_dir, **overrides)
    run = None if settings.neo4j.uri else read_run(settings.data_dir)
    if not settings.neo4j.uri and run is None:
        raise InvalidSettings(
            "No database is named and none runs in the data folder.",
            field="NEO4J_URI",
            advice="Start Matrix with `matrix up`, or set NEO4J_URI, NEO4J_USERNAME and NEO4J_PASSWORD.",
        )
    settings = with_secrets(settings, ensure_secrets(settings.data_dir))
    return with_database(settings, run.neo4j) if run else settings
