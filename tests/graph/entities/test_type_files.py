"""The platform's entity types as files: they load, and a wrong one is refused with its name and fault."""

from __future__ import annotations

from pathlib import Path

import pytest

from matrix.domain.access import Role
from matrix.domain.entities import PropertyType, Verb
from matrix.errors import SchemaMismatch
from matrix.graph.entities.queries import INCOMING, OUTGOING
from matrix.graph.entities.rows import OWN_RELATIONSHIP, is_linked
from matrix.graph.entities.type_files import read_entity_types

GOOD = """
key: things
label: Thing
name: Thing
verbs: {read: VIEWER, create: EDITOR}
properties:
  - {name: name, required: true}
  - {name: parent, type: ENTITY, target_entity_type: things, relationship: PART_OF}
"""


def write(folder: Path, text: str, name: str = "things.yaml") -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.mark.feature("A2")
def test_the_platforms_types_are_data() -> None:
    types = read_entity_types()
    assert {"knowledge", "documents", "chunks", "agents", "sessions", "messages", "memories", "jobs"} <= types.keys()
    knowledge = types["knowledge"]
    assert (knowledge.label, knowledge.owner_org) == ("Knowledge", None)
    assert knowledge.verbs[Verb.CREATE] is Role.EDITOR
    assert types["chunks"].verbs.keys() == {Verb.READ}
    assert types["agents"].definition_of("knowledge").type is PropertyType.ENTITY  # type: ignore[union-attr]  # it is there


def test_a_type_is_read_as_written(tmp_path: Path) -> None:
    thing = read_entity_types(write(tmp_path, GOOD))["things"]
    parent = thing.definition_of("parent")
    assert parent is not None
    assert (parent.relationship, parent.target_entity_type, parent.incoming) == ("PART_OF", "things", False)
    assert thing.definition_of("name").required  # type: ignore[union-attr]  # it is there


@pytest.mark.parametrize(
    ("right", "wrong", "named"),
    [
        ("name: Thing\n", "name: Thing\ncolour: red\n", "colour"),
        ("required: true", "needed: true", "needed"),
        ("required: true", "required: 'no'", "required"),
        ("create: EDITOR", "destroy: EDITOR", "destroy"),
        ("create: EDITOR", "create: KING", "KING"),
        ("type: ENTITY", "type: LINK", "LINK"),
        (", relationship: PART_OF", "", "relationship"),
        ("PART_OF", "part of", "part of"),
        ("target_entity_type: things", "target_entity_type: nothing", "target_entity_type"),
        (", target_entity_type: things", "", "target_entity_type"),
        ("name: parent", "name: name", "twice"),
        ("name: parent", "name: 'a`b'", "a`b"),
        ("label: Thing", "label: 'Thing`) DETACH DELETE (n'", "label"),
        ("key: things", "key: others", "others"),
        ("properties:", "props:", "props"),
    ],
)
def test_a_wrong_file_is_named_with_its_fault(tmp_path: Path, right: str, wrong: str, named: str) -> None:
    assert right in GOOD
    with pytest.raises(SchemaMismatch) as caught:
        read_entity_types(write(tmp_path, GOOD.replace(right, wrong, 1)))
    assert named in caught.value.message


def test_two_types_may_not_share_a_label(tmp_path: Path) -> None:
    write(tmp_path, GOOD)
    with pytest.raises(SchemaMismatch, match="label"):
        read_entity_types(write(tmp_path, GOOD.replace("key: things", "key: others"), "others.yaml"))


def test_the_queries_spell_out_the_relationships_of_the_files() -> None:
    linked = [d for entity_type in read_entity_types().values() for d in entity_type.properties if is_linked(d)]
    assert {OWN_RELATIONSHIP, *(d.relationship for d in linked if not d.incoming)} == set(OUTGOING.split("|"))
    assert {d.relationship for d in linked if d.incoming} == set(INCOMING.split("|"))
