"""Settings of a command that opens the database itself: with the data folder's secrets and its running Neo4j."""

from __future__ import annotations

from pathlib import Path

from matrix.cli.data_folder import ensure_secrets, read_run, with_database, with_secrets
from matrix.cli.options import settings_in
from matrix.errors import InvalidSettings
from matrix.settings import Settings


def process_settings(data_dir: Path | None, **overrides: object) -> Settings:
    """Errors: InvalidSettings where no database is named and none runs in the data folder."""
    settings = settings_in(data_dir, **overrides)
    folder = settings.data_dir.resolve()
    settings = with_secrets(settings.model_copy(update={"data_dir": folder}), ensure_secrets(folder))
    if settings.neo4j.uri:
        return settings
    run = read_run(folder)
    if run is None:
        raise InvalidSettings(
            "No database is named and none runs in the data folder.",
            field="NEO4J_URI",
            advice="Start Matrix with `matrix up`, or set NEO4J_URI, NEO4J_USERNAME and NEO4J_PASSWORD.",
        )
    return with_database(settings, run.neo4j)
