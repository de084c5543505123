"""`matrix prepare-models`, which `up` runs at its first start."""

from __future__ import annotations

import asyncio

from matrix.cli.console import explained_to_parent
from matrix.cli.options import DataDir, settings_in


def prepare_models(data_dir: DataDir = None) -> None:
    """Make ready what the chosen embedder keeps on this machine."""
    with explained_to_parent():
        from matrix.wiring.models import prepare_embedder  # noqa: PLC0415  # see `main`

        asyncio.run(prepare_embedder(settings_in(data_dir)))
