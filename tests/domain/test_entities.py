"""Values of properties, checked against their definitions."""

from __future__ import annotations

import pytest

from matrix.domain.entities import EntityType, PropertyDefinition, PropertyType, validate_patch
from matrix.errors import InvalidInput

COUNTED = EntityType("things", "Thing", "Thing", (PropertyDefinition("size", PropertyType.NUMBER, whole=True),), {})


def test_a_whole_number_is_kept_without_a_fraction() -> None:
    size = validate_patch(COUNTED, {"size": 3.0})["size"]
    assert (size, type(size)) == (3, int)


@pytest.mark.parametrize("wrong", [2.5, "3", True])
def test_a_fraction_or_a_text_is_no_whole_number(wrong: object) -> None:
    with pytest.raises(InvalidInput) as refused:
        validate_patch(COUNTED, {"size": wrong})
    assert refused.value.field == "size"
