"""The choice of another embedder while a database holds nothing but the demo, which is then embedded anew."""

from __future__ import annotations

import hashlib
from importlib.resources import files

import structlog

from matrix.graph.database import Database
from matrix.graph.schema.demo_embedding import repin_demo
from matrix.graph.schema.embedder_pin import read_pin
from matrix.graph.schema.migrations import migrate
from matrix.ports import Embedder

CORPUS = "demo"
_log = structlog.get_logger()


async def embed_demo_anew(database: Database, embedder: Embedder) -> bool:
    """Pins `embedder` in the place of another one if that loses nothing of anybody's; else answers False, and the check
    of the pin says what is wrong. For the one process that prepares the database: others must not run yet."""
    pin = await read_pin(database)
    if pin is None or (pin.name, pin.dimensions) == (embedder.name, embedder.dimensions):
        return False
    await migrate(database)
    changed = await repin_demo(database, embedder.name, embedder.dimensions, CORPUS, demo_hashes())
    if changed:
        _log.warning("the demo is embedded anew, for the settings name another embedder", embedder=embedder.name)
    return changed


def demo_hashes() -> frozenset[str]:
    """SHA-256 of every file that the demo uploads, of all its editions."""
    editions = files("matrix").joinpath("cli", "demo").iterdir()
    return frozenset(
        hashlib.sha256(file.read_bytes()).hexdigest() for edition in editions for file in edition.iterdir()
    )
