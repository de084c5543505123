"""What request bodies have in common: camelCase names, and unknown fields refused."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel


class Body(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, validate_by_name=False, extra="forbid", frozen=True)
