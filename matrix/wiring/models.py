"""Making ready what the chosen embedder keeps on this machine."""

from __future__ import annotations

from matrix.plugins.embedders.minilm import MiniLmEmbedder
from matrix.settings import Settings
from matrix.wiring.choices import make_embedder


async def prepare_embedder(settings: Settings) -> None:
    """Safe to run again, and beside others. Errors: ModelFilesDamaged, OSError."""
    (settings.data_dir / "models").mkdir(parents=True, exist_ok=True)
    embedder = make_embedder(settings)
    if isinstance(embedder, MiniLmEmbedder):
        await embedder.prepare()
        await embedder.aclose()
