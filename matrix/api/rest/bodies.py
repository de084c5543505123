"""What request bodies have in common: camelCase names, unknown fields refused, and text that can be kept."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, field_validator
from pydantic.alias_generators import to_camel

from matrix.domain.entities import is_text


class Body(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, validate_by_name=False, extra="forbid", frozen=True)

    @field_validator("*")
    @classmethod
    def _is_text(cls, value: object) -> object:
        for text in (value,) if isinstance(value, str) else value if isinstance(value, tuple) else ():
            if isinstance(text, str) and not is_text(text):
                raise ValueError("It holds a character that cannot be kept (NUL)")
        return value
