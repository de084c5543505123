"""Holds every answer against /openapi.json: its status is documented, and its body is what is said there. The clients
of `tests/support/application.py` and `tests/api/auth/world.py` do this with each answer that they get."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import Any

import httpx2
from fastapi import FastAPI
from jsonschema import Draft202012Validator, ValidationError

from tests.support.events import read_events
from tests.support.routes import Route, routes_of

Json = dict[str, Any]
Hooks = dict[str, list[Callable[[httpx2.Response], Awaitable[None]]]]
UNDESCRIBED = re.compile(r"/(docs(/.*)?|graphql|openapi\.json)?")  # pages, files, and what has a schema of its own


class Documentation:
    """What an application says of itself."""

    def __init__(self, schema: Json) -> None:
        self._validators: dict[str, Draft202012Validator] = {}
        self._components = schema.get("components", {})
        self._routes = sorted(
            ((path.count("{"), _pattern(path), operations) for path, operations in schema["paths"].items()),
            key=lambda route: route[0],
        )

    def check(self, answer: httpx2.Response) -> None:
        """AssertionError where the answer, which was read already, is not what is documented."""
        path = answer.request.url.path
        if UNDESCRIBED.fullmatch(path) or answer.request.method == "HEAD":  # HEAD has no body
            return
        what = f"{answer.request.method} {path[:200]}: {answer.status_code}"
        operation = self._operation(answer.request.method.lower(), path)
        if operation is None:
            assert answer.status_code in {404, 405}, f"{what}, and /openapi.json has no such route: {answer.text[:500]}"
            self._check_body({"$ref": "#/components/schemas/Problem"}, answer.json(), what)
        else:
            documented = operation["responses"].get(str(answer.status_code))
            assert documented is not None, f"{what} is not documented: {answer.text[:500]}"
            self._check_content(documented.get("content", {}), answer, what)

    def _operation(self, method: str, path: str) -> Json | None:
        """The route that answers: of those that fit, the one with the most words of its own."""
        for _, pattern, operations in self._routes:
            if method in operations and pattern.fullmatch(path):
                found: Json = operations[method]
                return found
        return None

    def _check_content(self, contents: Json, answer: httpx2.Response, what: str) -> None:
        if not contents:
            assert not answer.content, f"{what}: a body is not documented: {answer.text[:500]}"
            return
        media_type = answer.headers["content-type"].partition(";")[0]
        content = contents.get(media_type) or contents.get("*/*")
        assert content is not None, f"{what}: {media_type} is not documented"
        if media_type == "text/event-stream":
            for name, data in read_events(answer.text):
                assert name in content["x-events"], f"{what}: the event {name} is not documented"
                self._check_body(content["x-events"][name], data, f"{what}, {name}")
        elif media_type.endswith("json") and content["schema"]:
            self._check_body(content["schema"], answer.json(), what)

    def _check_body(self, schema: Json, body: object, what: str) -> None:
        key = str(schema)
        if key not in self._validators:
            self._validators[key] = Draft202012Validator({"components": self._components, **schema})
        try:
            self._validators[key].validate(body)
        except ValidationError as wrong:
            place = "/".join(str(part) for part in wrong.absolute_path)
            raise AssertionError(f"{what} is not as documented, at «{place}»: {wrong.message[:1000]}") from None


def checked(app: FastAPI) -> Hooks:
    """`event_hooks` of a client whose answers are all held against the documentation of `app`."""

    async def check(answer: httpx2.Response) -> None:
        await answer.aread()
        _documentation(app).check(answer)

    return {"response": [check]}


_KNOWN: dict[frozenset[Route], Documentation] = {}


def _documentation(app: FastAPI) -> Documentation:
    """Applications with the same routes say the same, and saying it takes a moment; many tests make their own."""
    routes = frozenset(routes_of(app))
    if routes not in _KNOWN:
        _KNOWN[routes] = Documentation(app.openapi())
    return _KNOWN[routes]


def _pattern(path: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(path)))
