"""The platform's entity types, for what needs them without a database."""

from __future__ import annotations

from matrix.graph.entities.type_files import read_entity_types as platform_types

__all__ = ["platform_types"]
