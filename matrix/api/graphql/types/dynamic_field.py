"""Fields whose arguments are known only once the entity types are read: Strawberry reads a resolver's signature, so
one is written for it. Strawberry's own types are `Any` here, as its decorators take whatever a class may hold."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

import strawberry

from matrix.api.graphql.context import Info

F = TypeVar("F", bound=Callable[..., object])
REQUIRED = inspect.Parameter.empty


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a field; without a default it must be given."""

    name: str
    type: Any
    default: object = REQUIRED
    description: str = ""


def dynamic_field(
    resolve: Callable[..., object], graphql_type: Any, arguments: Iterable[Argument] = (), description: str = ""
) -> Any:
    """A field that calls `resolve(root, info, **arguments)`."""

    async def resolver(root: object, info: Info, **given: object) -> object:
        value = resolve(root, info, **given)
        return await value if inspect.isawaitable(value) else value

    signed: Any = resolver
    signed.__signature__ = inspect.Signature([_ROOT, _INFO, *(_parameter(argument) for argument in arguments)])
    return strawberry.field(resolver=signed, graphql_type=graphql_type, description=description or None)


def field(*, graphql_type: Any = None, description: str = "") -> Callable[[F], F]:
    """`strawberry.field` and `strawberry.mutation`, in a way that leaves the function's own types to be checked.
    `graphql_type` is what Strawberry shows, where the function returns a value of the domain."""

    def mark(function: F) -> F:
        made: Any = strawberry.field(resolver=function, graphql_type=graphql_type, description=description or None)
        return made  # type: ignore[no-any-return]  # a StrawberryField, which only Strawberry sees

    return mark


def subscription(*, graphql_type: Any = None, description: str = "") -> Callable[[F], F]:
    """`strawberry.subscription`, in the same way."""

    def mark(function: F) -> F:
        made: Any = strawberry.subscription(
            resolver=function, graphql_type=graphql_type, description=description or None
        )
        return made  # type: ignore[no-any-return]  # a StrawberryField, which only Strawberry sees

    return mark


def plain_field(value: Callable[[Any], object], graphql_type: Any, description: str = "") -> Any:
    """A field that is read off what stands above it, without waiting."""

    def resolver(root: object) -> object:
        return value(root)

    return strawberry.field(resolver=resolver, graphql_type=graphql_type, description=description or None)


_ROOT = inspect.Parameter("root", inspect.Parameter.POSITIONAL_OR_KEYWORD)
_INFO = inspect.Parameter("info", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=Info)


def _parameter(argument: Argument) -> inspect.Parameter:
    kind: Any = argument.type
    described: Any = Annotated[kind, strawberry.argument(description=argument.description or None)]
    return inspect.Parameter(
        argument.name, inspect.Parameter.KEYWORD_ONLY, default=argument.default, annotation=described
    )
