"""Changes of a document as REST and GraphQL ask for them. Name and tags stand in the indexes too, so the store of
documents writes them; the organization's own fields are like those of any other entity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matrix.api.entities import Entities
from matrix.domain.access import Scope
from matrix.domain.entities import Entity, Verb
from matrix.errors import InvalidInput
from matrix.ingest.names import document_name
from matrix.ports import DocumentStore

MOST_MEMBERS = 500  # of an audience, by name


async def change_document(
    documents: DocumentStore, entities: Entities, scope: Scope, document_id: str, properties: Mapping[str, object]
) -> Entity:
    """The document as it is then. Errors: NotFound, NotAllowed, InvalidInput, Conflict (the name is taken)."""
    await entities.get_for(scope, "documents", document_id, Verb.UPDATE)
    checked = await entities.checked_changes(scope, "documents", properties)
    if "name" in checked:
        await documents.rename(scope, document_id, document_name(str(checked.pop("name"))))
    if "tags" in checked:
        tags = checked.pop("tags")
        await documents.set_tags(scope, document_id, [str(tag) for tag in tags] if isinstance(tags, list) else [])
    if checked:
        await entities.update(scope, "documents", document_id, checked)
    return await entities.get(scope, "documents", document_id)


def audience_members(scope: Scope, everyone: bool, teams: Sequence[str], users: Sequence[str]) -> tuple[str, ...]:
    """Who is to see a document. Errors: InvalidInput, both or neither of everyone and some."""
    some = (*teams, *users)
    if bool(some) is everyone:
        raise InvalidInput("Name teams or users, or set everyone.", field="teams")
    if len(some) > MOST_MEMBERS:
        told = f"Name at most {MOST_MEMBERS} teams and users."
        raise InvalidInput(told, field="teams", advice="Make a team of them.")
    return (scope.org_id,) if everyone else some
