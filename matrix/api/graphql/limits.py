"""How large an operation may be, known before it runs: depth, aliases and cost. Every fragment is measured once, so
that fragments within fragments cannot make the measuring itself expensive.

Cost counts the objects that an operation may give: a list counts as many times as its `first` says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from graphql import (
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    GraphQLField,
    GraphQLInterfaceType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLSchema,
    InlineFragmentNode,
    IntValueNode,
    OperationDefinitionNode,
    SelectionSetNode,
    ValidationContext,
    ValidationRule,
    VariableNode,
    get_named_type,
    is_composite_type,
)

MAX_DEPTH = 10
MAX_ALIASES = 15
MAX_TOKENS = 1000
MAX_COST = 5000
ASSUMED_ITEMS = 10  # in a list that says no number
MOST_ITEMS = 1_000_000_000  # that are told apart: what asks for more is refused as well
COUNT = "first"


@dataclass(frozen=True, slots=True)
class Size:
    """Of a selection set: levels of fields with fields of their own, aliases, and objects that it may give."""

    depth: int = 0
    aliases: int = 0
    cost: int = 0

    def beside(self, other: Size) -> Size:
        return Size(max(self.depth, other.depth), self.aliases + other.aliases, self.cost + other.cost)


def size_rule(variables: Mapping[str, Any]) -> type[ValidationRule]:
    """A validation rule that refuses operations that are too large with these variables."""

    class SizeRule(ValidationRule):
        def enter_operation_definition(self, node: OperationDefinitionNode, *_: object) -> None:
            context: ValidationContext = self.context
            for problem in problems(context, node, variables):
                self.report_error(GraphQLError(problem, [node], extensions={"code": "too_large"}))

    return SizeRule


def problems(context: ValidationContext, node: OperationDefinitionNode, variables: Mapping[str, Any]) -> list[str]:
    """What is too large about an operation, in words."""
    root = context.schema.get_root_type(node.operation)
    if root is None:
        return []
    defaults = {
        definition.variable.name.value: _number(definition.default_value)
        for definition in node.variable_definitions or ()
        if isinstance(definition.default_value, IntValueNode)
    }
    size = Measure(context, {**defaults, **variables}).of(node.selection_set, root)
    found = []
    if size.depth > MAX_DEPTH:
        found.append(f"The operation is {size.depth} levels deep; {MAX_DEPTH} are allowed.")
    if size.aliases > MAX_ALIASES:
        found.append(f"The operation has {size.aliases} aliases; {MAX_ALIASES} are allowed.")
    if size.cost > MAX_COST:
        found.append(f"The operation may give {size.cost} objects; {MAX_COST} are allowed. Ask for shorter lists.")
    return found


class Measure:
    """Measures the selection sets of one operation."""

    def __init__(self, context: ValidationContext, variables: Mapping[str, Any]) -> None:
        self._schema: GraphQLSchema = context.schema
        self._fragment = context.get_fragment
        self._variables = variables
        self._measured: dict[str, Size] = {}

    def of(self, selections: SelectionSetNode, parent: object) -> Size:
        size = Size()
        for selection in selections.selections:
            if isinstance(selection, FieldNode):
                size = size.beside(self._field(selection, parent))
            elif isinstance(selection, FragmentSpreadNode):
                size = size.beside(self._spread(selection.name.value))
            elif isinstance(selection, InlineFragmentNode):
                condition = selection.type_condition
                inner = self._schema.get_type(condition.name.value) if condition else parent
                size = size.beside(self.of(selection.selection_set, inner))
        return size

    def _spread(self, name: str) -> Size:
        if name not in self._measured:
            self._measured[name] = Size()  # a fragment within itself is refused by another rule
            fragment: FragmentDefinitionNode | None = self._fragment(name)
            if fragment is not None:
                inner = self._schema.get_type(fragment.type_condition.name.value)
                self._measured[name] = self.of(fragment.selection_set, inner)
        return self._measured[name]

    def _field(self, node: FieldNode, parent: object) -> Size:
        aliases = 1 if node.alias else 0
        if node.selection_set is None or node.name.value.startswith("__"):
            return Size(aliases=aliases)
        field = parent.fields.get(node.name.value) if isinstance(parent, _WITH_FIELDS) else None
        inner = self.of(node.selection_set, get_named_type(field.type) if field else None)
        own = 0 if _is_wrapper(parent) else 1
        cost = self._items(node, field, parent) * (own + inner.cost)
        return Size(inner.depth + 1, aliases + inner.aliases, cost)

    def _items(self, node: FieldNode, field: GraphQLField | None, parent: object) -> int:
        """How many objects a field gives at most, as far as it says so. A connection was counted by its `first`."""
        if field is None or _is_wrapper(parent):
            return 1
        if COUNT in field.args:
            return self._given(node, field.args[COUNT].default_value)
        return ASSUMED_ITEMS if _is_list(field) else 1

    def _given(self, node: FieldNode, default: object) -> int:
        value = next((argument.value for argument in node.arguments or () if argument.name.value == COUNT), None)
        if isinstance(value, IntValueNode):
            return max(1, _number(value))
        given = self._variables.get(value.name.value, default) if isinstance(value, VariableNode) else default
        # GraphQL takes 100.0 for 100
        return int(max(1, min(given, MOST_ITEMS))) if isinstance(given, int | float) else ASSUMED_ITEMS


_WITH_FIELDS = (GraphQLObjectType, GraphQLInterfaceType)


def _number(node: IntValueNode) -> int:
    """What stands there; Python reads no number of thousands of digits."""
    return int(node.value) if len(node.value) <= len(str(MOST_ITEMS)) else MOST_ITEMS


def _is_wrapper(parent: object) -> bool:
    """What stands between a list and its items: neither is an object of its own."""
    return isinstance(parent, GraphQLObjectType) and parent.name.endswith(("Connection", "Edge"))


def _is_list(field: GraphQLField) -> bool:
    kind = field.type.of_type if isinstance(field.type, GraphQLNonNull) else field.type
    return isinstance(kind, GraphQLList) and is_composite_type(get_named_type(kind))
