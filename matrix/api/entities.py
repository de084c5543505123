"""Entities of any type for REST and GraphQL alike: verbs and roles of the type, validation, then the store.

Documents and corpora are deleted by the ingest service, which hides first and purges after; secrets are encrypted
before they are stored.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from matrix.api.entity_keys import key_from, told_apart
from matrix.domain.access import Scope
from matrix.domain.entities import (
    Entity,
    EntityFilter,
    EntityType,
    Page,
    PropertyType,
    Value,
    Verb,
    check_key,
    validate_new,
    validate_patch,
)
from matrix.domain.names import check_name
from matrix.errors import Conflict, InvalidInput, NotAllowed, NotFound, ReadOnly
from matrix.ports import EntityStore, EntityTypeStore

PAGE = 50
LONGEST_PAGE = 100
NAMES = ("name", "title")
KEYS_TRIED = 4  # made of one name
Rule = Callable[[Mapping[str, Value], Mapping[str, Value]], None]
"""Of the values as they will be, and of those that are changed."""


class Entities:
    """Create, read, change and delete by collection name. `encrypt` keeps secrets; `rules` check what the type
    cannot tell, by collection."""

    def __init__(
        self, types: EntityTypeStore, store: EntityStore, encrypt: Callable[[str], str], rules: Mapping[str, Rule]
    ) -> None:
        self._types = types
        self._store = store
        self._encrypt = encrypt
        self._rules = rules

    async def types(self, scope: Scope) -> Mapping[str, EntityType]:
        return await self._types.for_org(scope)

    async def type_of(self, scope: Scope, collection: str) -> EntityType:
        """Errors: NotFound where the organization has no such collection."""
        found = (await self._types.for_org(scope)).get(collection)
        if found is None:
            raise NotFound(f"There is no collection «{collection}».", advice="GET …/entity-types lists them.")
        return found

    async def create(self, scope: Scope, collection: str, properties: Mapping[str, object]) -> Entity:
        """A new entity, by the key given or one made of its name. Errors: Conflict, the key given is taken."""
        entity_type = await self.allowed(scope, collection, Verb.CREATE)
        payload = dict(properties)
        given = payload.pop("key", None) if entity_type.has_key else None
        key = None if given is None else check_key(given)
        values = _named(entity_type, validate_new(entity_type, payload))
        self._check_rules(collection, values, values)
        sealed = self._sealed(entity_type, values)
        if key is not None or not entity_type.has_key:
            return await self._store.create(scope, entity_type, key, sealed)
        return await self._create_named(scope, entity_type, sealed)

    async def _create_named(self, scope: Scope, entity_type: EntityType, values: Mapping[str, Value]) -> Entity:
        named = key_from(str(values.get("name") or ""), otherwise=entity_type.key)
        for key in (named, *(told_apart(named) for _ in range(KEYS_TRIED))):
            try:
                return await self._store.create(scope, entity_type, key, values)
            except Conflict as error:  # taken, perhaps at this very moment
                taken = error
        raise taken

    async def get(self, scope: Scope, collection: str, id_or_key: str) -> Entity:
        entity_type = await self.allowed(scope, collection, Verb.READ)
        return await self._store.get(scope, entity_type, id_or_key)

    async def get_for(self, scope: Scope, collection: str, id_or_key: str, verb: Verb) -> Entity:
        """The entity, if the caller may do this to it: what they cannot see is absent before it is forbidden."""
        found = await self.get(scope, collection, id_or_key)
        await self.allowed(scope, collection, verb)
        return found

    async def get_many(self, scope: Scope, collection: str, ids: Sequence[str]) -> Mapping[str, Entity]:
        entity_type = await self.allowed(scope, collection, Verb.READ)
        return await self._store.get_many(scope, entity_type, ids)

    async def list(
        self, scope: Scope, collection: str, where: EntityFilter, limit: int = PAGE, cursor: str | None = None
    ) -> Page:
        entity_type = await self.allowed(scope, collection, Verb.READ)
        if not 1 <= limit <= LONGEST_PAGE:
            raise InvalidInput(f"A page holds between 1 and {LONGEST_PAGE} items.", field="limit")
        return await self._store.list(scope, entity_type, where, limit, cursor)

    async def update(self, scope: Scope, collection: str, id_or_key: str, properties: Mapping[str, object]) -> Entity:
        entity_type = await self.allowed_on(scope, collection, id_or_key, Verb.UPDATE)
        if "key" in properties:
            raise InvalidInput("A key cannot be changed.", field="key", advice="Create a new one and move to it.")
        values = _named(entity_type, validate_patch(entity_type, properties))
        if collection in self._rules:
            before = await self._store.get(scope, entity_type, id_or_key)
            self._check_rules(collection, {**before.properties, **values}, values)
        return await self._store.update(scope, entity_type, id_or_key, self._sealed(entity_type, values))

    async def checked_changes(
        self, scope: Scope, collection: str, properties: Mapping[str, object]
    ) -> dict[str, Value]:
        """The changes by the rules of the type, for who writes some of them elsewhere."""
        return validate_patch(await self.allowed(scope, collection, Verb.UPDATE), properties)

    async def delete(self, scope: Scope, collection: str, id_or_key: str) -> None:
        entity_type = await self.allowed_on(scope, collection, id_or_key, Verb.DELETE)
        await self._store.delete(scope, entity_type, id_or_key)

    async def allowed(self, scope: Scope, collection: str, verb: Verb) -> EntityType:
        """The type, if the caller may do this to it. Errors: NotFound, ReadOnly, NotAllowed."""
        entity_type = await self.type_of(scope, collection)
        needed = entity_type.verbs.get(verb)
        if needed is None:
            raise ReadOnly(f"{entity_type.name} entities cannot be {verb.value}d by clients.")
        if scope.role < needed:
            raise NotAllowed(f"To {verb.value} {collection} takes the role {needed.name}; yours is {scope.role.name}.")
        return entity_type

    async def allowed_on(self, scope: Scope, collection: str, id_or_key: str, verb: Verb) -> EntityType:
        """The same for one entity: what the caller cannot see is absent before it is forbidden."""
        try:
            return await self.allowed(scope, collection, verb)
        except NotAllowed:
            await self.get(scope, collection, id_or_key)
            raise

    def _check_rules(self, collection: str, values: Mapping[str, Value], changed: Mapping[str, Value]) -> None:
        rule = self._rules.get(collection)
        if rule is not None:
            rule(values, changed)

    def _sealed(self, entity_type: EntityType, values: dict[str, Value]) -> dict[str, Value]:
        secret = [p.name for p in entity_type.properties if p.hidden and p.type is PropertyType.STRING]
        sealed = {name: self._encrypt(v) for name in secret if isinstance(v := values.get(name), str)}
        if "apiKey" in values:
            sealed["hasApiKey"] = values["apiKey"] is not None  # type: ignore[assignment]  # a flag beside secrets
        return {**values, **sealed}


def _named(entity_type: EntityType, values: dict[str, Value]) -> dict[str, Value]:
    """The values with what people read as a name trimmed. Errors: InvalidInput."""
    names = {field: check_name(text, field) for field in NAMES if isinstance(text := values.get(field), str)}
    return {**values, **names} if entity_type.key != "documents" else values
