"""Which Cypher of `matrix/graph` runs in which access mode, read from the source: every call of a Database or a
Transaction, and what a transaction's function reaches through the functions that it calls."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from types import ModuleType

import matrix.graph

READS, WRITES = {"read", "read_one"}, {"write", "write_one"}
TOGETHER = {"read_together", "write_together"}
IN_TRANSACTION = {"run", "one"}
CYPHER = re.compile(r"\s*(CYPHER 25\s+)?(MATCH|OPTIONAL|MERGE|CREATE|UNWIND|CALL|RETURN|WITH|SHOW|EXPLAIN)\b")
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Call:
    """One call of the database: where, by which method, with which queries."""

    where: str
    method: str
    queries: frozenset[str]


@cache
def modules() -> Mapping[str, ModuleType]:
    """All modules of matrix.graph but the one that defines Database."""
    found = [one.name for one in pkgutil.walk_packages(matrix.graph.__path__, "matrix.graph.") if not one.ispkg]
    names = [name.removeprefix("matrix.graph.") for name in found]
    return {name: importlib.import_module(f"matrix.graph.{name}") for name in names if name != "database"}


@cache
def tree_of(module: ModuleType) -> ast.Module:
    return ast.parse(inspect.getsource(module))


def constants() -> dict[str, str]:
    """Every query that a module holds as a public constant, by `module.NAME`."""
    found = {}
    for name, module in modules().items():
        for statement in tree_of(module).body:
            for target in _targets(statement):
                value = getattr(module, target, None)
                if target.isupper() and not target.startswith("_") and isinstance(value, str) and CYPHER.match(value):
                    found[f"{name}.{target}"] = value
    # A piece that others are made of is no query.
    return {
        name: text for name, text in found.items() if not any(text in one and text != one for one in found.values())
    }


@cache
def calls() -> tuple[Call, ...]:
    """Every call of read*, write* and *_together in matrix.graph."""
    return tuple(call for name, module in modules().items() for call in _calls_in(name, module))


def built_in_place() -> list[str]:
    """Calls whose query is not a constant: an f-string, a concatenation, a call of format or replace, any variable."""
    wrong = []
    for name, module in modules().items():
        for node in ast.walk(tree_of(module)):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
                continue
            if node.func.attr in READS | WRITES | IN_TRANSACTION and not _is_constant(node.args[0], module):
                wrong.append(f"{name}.py:{node.lineno}: {ast.unparse(node.args[0])[:80]}")
    return wrong


def _targets(statement: ast.stmt) -> Iterator[str]:
    if isinstance(statement, ast.Assign):
        yield from (target.id for target in statement.targets if isinstance(target, ast.Name))
    elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
        yield statement.target.id


def _is_constant(argument: ast.expr, module: ModuleType) -> bool:
    match argument:
        case ast.Constant(value=str()):
            return True
        case ast.Name(id=name):
            return isinstance(getattr(module, name, None), str) or _declared_literal(name, module)
        case ast.Attribute(attr=name):
            return name == "query" or name.isupper()  # a field that holds a constant, or a constant of a module
        case ast.Call(func=ast.Name(id=name)):
            made = getattr(module, name, None)
            return getattr(made, "__annotations__", {}).get("return") == "LiteralString"
        case ast.IfExp(body=one, orelse=other):
            return _is_constant(one, module) and _is_constant(other, module)
        case ast.Subscript(value=ast.Name(id=name)):
            return isinstance(getattr(module, name, None), Mapping)
    return False


def _declared_literal(name: str, module: ModuleType) -> bool:
    """Whether a parameter or variable of this name is declared a LiteralString, wherever it is one in the module."""
    annotations = [
        node.annotation
        for node in ast.walk(tree_of(module))
        if (isinstance(node, ast.arg) and node.arg == name)
        or (isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id == name)
    ]
    declared = [ast.unparse(annotation) for annotation in annotations if annotation is not None]
    return bool(declared) and set(declared) == {"LiteralString"}


def _calls_in(name: str, module: ModuleType) -> Iterator[Call]:
    for function in _functions(tree_of(module)):
        for node in _own_nodes(function):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            method, where = _name_of(node), f"{name}.py:{node.lineno}"
            if method in READS | WRITES:
                yield Call(where, method, frozenset(_named(node.args[0], function, module)))
            elif method in TOGETHER and not _work_parameters(function):  # else its callers are looked at
                yield Call(where, method, frozenset(_reached(node.args, function, module)))
            elif method in wrappers():
                own = _queries_of_method(method, module, set())
                yield Call(where, wrappers()[method], frozenset(own | _reached(node.args, function, module)))


def _name_of(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


@cache
def wrappers() -> Mapping[str, str]:
    """Functions that run in a transaction what they are given, and by which method: `_fenced` and the like."""
    found = {}
    for module in modules().values():
        for function in _functions(tree_of(module)):
            methods = {_name_of(node) for node in ast.walk(function) if isinstance(node, ast.Call)} & TOGETHER
            if methods and _work_parameters(function):
                found[function.name] = methods.pop()
    return found


def _work_parameters(function: Function) -> set[str]:
    return {
        argument.arg
        for argument in function.args.args
        if argument.annotation is not None and "[Transaction]" in ast.unparse(argument.annotation)
    }


def _named(query: ast.expr, function: Function, module: ModuleType) -> set[str]:
    """The queries that an argument may be: a constant, what a variable was given, or what callers pass in."""
    if not isinstance(query, ast.Name) or hasattr(module, query.id):
        return _queries(query, module, set())
    given = [node.value for node in ast.walk(function) if isinstance(node, ast.Assign) and query.id in _targets(node)]
    given += [
        node.iter
        for node in ast.walk(function)
        if isinstance(node, ast.For) and isinstance(node.target, ast.Name) and node.target.id == query.id
    ]
    if not given:
        return _passed_in(function, module)
    return {found for value in given for found in _queries(value, module, set())}


def _functions(tree: ast.AST) -> Iterator[Function]:
    yield from (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def _own_nodes(function: ast.AST) -> Iterator[ast.AST]:
    """What is inside a function, without the functions that it defines."""
    for child in ast.iter_child_nodes(function):
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield child
            yield from _own_nodes(child)


def _reached(arguments: list[ast.expr], around: Function, module: ModuleType) -> set[str]:
    """The queries that a transaction's work may run: a lambda, or a function inside or outside `around`."""
    seen: set[object] = set()
    found = _passed_in(around, module)
    for argument in arguments:
        named = argument.id if isinstance(argument, ast.Name) else None
        inner: list[ast.AST] = [one for one in _functions(around) if one.name == named]
        for work in inner or [argument]:
            found |= _queries(work, module, seen)
            for name in {part.id for part in ast.walk(work) if isinstance(part, ast.Name)}:
                for node in ast.walk(around):
                    if isinstance(node, ast.Assign) and name in _targets(node):
                        found |= _queries(node.value, module, seen)
    return found


def _passed_in(function: Function, module: ModuleType) -> set[str]:
    """What callers of the module give for a parameter that is a query."""
    takes = any(
        argument.annotation is not None and ast.unparse(argument.annotation) == "LiteralString"
        for argument in function.args.args
    )
    if not takes:
        return set()
    calls = [
        node for node in ast.walk(tree_of(module)) if isinstance(node, ast.Call) and _name_of(node) == function.name
    ]
    return {found for call in calls for value in call.args for found in _named(value, _around(call, module), module)}


def _around(call: ast.Call, module: ModuleType) -> Function:
    return next(one for one in _functions(tree_of(module)) if any(node is call for node in ast.walk(one)))


def _queries(node: ast.AST, module: ModuleType, seen: set[object]) -> set[str]:
    """All queries that are named below a node, through calls of functions of matrix.graph."""
    found: set[str] = set()
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            found |= _queries_of(getattr(module, part.id, None), seen)
        elif isinstance(part, ast.Attribute):
            owner = getattr(module, part.value.id, None) if isinstance(part.value, ast.Name) else None
            if isinstance(owner, ModuleType):
                found |= _queries_of(getattr(owner, part.attr, None), seen)
            elif isinstance(part.value, ast.Name) and part.value.id == "self":
                found |= _queries_of_method(part.attr, module, seen)
        elif isinstance(part, ast.Constant) and isinstance(part.value, str) and CYPHER.match(part.value):
            found.add(part.value)
    return found


def _queries_of(value: object, seen: set[object]) -> set[str]:
    if isinstance(value, str):
        return {value} if CYPHER.match(value) else set()
    if isinstance(value, Mapping):
        return {query for one in value.values() for query in _queries_of(one, seen)}
    if isinstance(value, tuple):
        return {query for one in value for query in _queries_of(one, seen)}
    if is_dataclass(value) and not isinstance(value, type):
        return {query for one in fields(value) for query in _queries_of(getattr(value, one.name), seen)}
    if inspect.isfunction(value) and value.__module__.startswith("matrix.graph.") and value not in seen:
        seen.add(value)
        module = importlib.import_module(value.__module__)
        for function in _functions(tree_of(module)):
            if function.name == value.__name__:
                return _queries(function, module, seen)
    return set()


def _queries_of_method(name: str, module: ModuleType, seen: set[object]) -> set[str]:
    found: set[str] = set()
    for function in _functions(tree_of(module)):
        if function.name == name:
            key = (module.__name__, name, function.lineno)
            if key not in seen:
                seen.add(key)
                found |= _queries(function, module, seen)
    return found
