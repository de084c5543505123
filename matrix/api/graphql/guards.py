"""What guards each operation: its size, how often its caller may ask, and which way it came. One instance an
operation."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

from graphql import (
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    InlineFragmentNode,
    NoSchemaIntrospectionCustomRule,
    OperationDefinitionNode,
    SelectionSetNode,
)
from strawberry.extensions import SchemaExtension
from strawberry.schema.exceptions import CannotGetOperationTypeError
from strawberry.types.graphql import OperationType

from matrix.api.auth.rates import Use
from matrix.api.graphql.context import GraphContext
from matrix.api.graphql.failures import shown_errors
from matrix.api.graphql.limits import MAX_TOKENS, size_rule
from matrix.api.graphql.operations.chat_mutations import CHAT_FIELDS
from matrix.errors import InvalidInput


class Guard(SchemaExtension):
    """In development; production takes `ProductionGuard`."""

    production = False

    def on_operation(self) -> Iterator[None]:
        self.execution_context.parse_options["max_tokens"] = MAX_TOKENS
        self.execution_context.context = self.execution_context.context.begin()
        yield

    def on_validate(self) -> Iterator[None]:
        self._check_named()
        variables = self.execution_context.variables or {}
        rules: tuple[Any, ...] = (size_rule(variables),)
        if self.production:
            rules = (*rules, NoSchemaIntrospectionCustomRule)
        self.execution_context.validation_rules += rules
        yield

    def _check_named(self) -> None:
        """Strawberry would run the first of several operations. Errors: CannotGetOperationTypeError."""
        document = self.execution_context.graphql_document
        operations = [d for d in document.definitions if isinstance(d, OperationDefinitionNode)] if document else []
        if len(operations) > 1 and self.execution_context._provided_operation_name is None:
            raise CannotGetOperationTypeError(None)

    async def on_execute(self) -> AsyncIterator[None]:
        context: GraphContext = self.execution_context.context
        kind = self.execution_context.operation_type
        if context.over_socket:
            context.caller = await context.again()
        if context.over_socket != (kind is OperationType.SUBSCRIPTION):
            raise InvalidInput(
                "Subscriptions come over a socket, queries and mutations by POST.",
                advice="Subscribe with the protocol graphql-transport-ws.",
            )
        for use in uses_of(kind, list(root_fields(self.execution_context))):
            await context.around.access.rates.spend(context.caller.principal, use)
        yield

    async def on_stream_result(self, result: Any) -> AsyncIterator[None]:
        if result.errors:
            result.errors = await shown_errors(result.errors, suggestions=not self.production)
        yield


class ProductionGuard(Guard):
    production = True


def uses_of(kind: OperationType, fields: list[str]) -> list[Use]:
    """What an operation counts as: a query as one read, each mutation as a write, each question as a chat."""
    chats = [Use.CHAT for name in fields if name in CHAT_FIELDS]
    match kind:
        case OperationType.MUTATION:
            return [*chats, *[Use.WRITE for name in fields if name not in CHAT_FIELDS]]
        case OperationType.SUBSCRIPTION:
            return chats or [Use.READ]
        case _:
            return [Use.READ]


def root_fields(execution_context: Any) -> Iterator[str]:
    """The names of the operation's own fields, those in fragments included."""
    document = execution_context.graphql_document
    fragments = {d.name.value: d for d in document.definitions if isinstance(d, FragmentDefinitionNode)}
    name = execution_context.operation_name
    operation = next(
        d
        for d in document.definitions
        if not isinstance(d, FragmentDefinitionNode) and (name is None or (d.name and d.name.value == name))
    )
    yield from _names(operation.selection_set, fragments, set())


def _names(selections: SelectionSetNode, fragments: dict[str, FragmentDefinitionNode], seen: set[str]) -> Iterator[str]:
    for selection in selections.selections:
        match selection:
            case FieldNode():
                yield selection.name.value
            case InlineFragmentNode():
                yield from _names(selection.selection_set, fragments, seen)
            case FragmentSpreadNode() if selection.name.value not in seen:
                seen.add(selection.name.value)
                yield from _names(fragments[selection.name.value].selection_set, fragments, seen)
