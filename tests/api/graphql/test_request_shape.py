"""Hostile bodies and messages are refused in words before anything reads them."""

from __future__ import annotations

import json

import pytest

from matrix.api.graphql.request_shape import check_message, check_operation, read_json
from matrix.errors import InvalidInput

pytestmark = pytest.mark.feature("A5")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"nonsense",
        b"[" * 100_000 + b"]" * 100_000,
        b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
        b'{"query": "\xff"}',
        b'{"x": NaN}',
        b'{"x": -Infinity}',
        b'{"x": ' + b"9" * 5000 + b"}",
        rb'{"x": "\ud800"}',
        rb'{"\udfff": 1}',
    ],
    ids=lambda data: data[:20],
)
def test_what_is_no_json_is_refused(data: bytes) -> None:
    with pytest.raises(InvalidInput) as refused:
        read_json(data)
    assert refused.value.code == "bad_request"


def test_characters_of_two_halves_are_kept() -> None:
    assert read_json(rb'{"x": "\ud83d\ude00"}') == {"x": "😀"}
    assert read_json('{"x": "日本"}') == {"x": "日本"}


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ("x", "object"),
        (1, "object"),
        (None, "object"),
        (True, "object"),
        ([], "lists"),
        ([[[[]]]], "lists"),
        ({}, "query"),
        ({"query": 7}, "query"),
        ({"query": None}, "query"),
        ({"query": " "}, "query"),
        ({"query": ["{ me }"]}, "query"),
        ({"query": "{ me }", "variables": []}, "variables"),
        ({"query": "{ me }", "variables": "{}"}, "variables"),
        ({"query": "{ me }", "operationName": {}}, "operationName"),
        ({"query": "{ me }", "operationName": 0}, "operationName"),
        ({"query": "{ me }", "extensions": 1}, "extensions"),
    ],
)
def test_what_is_no_operation_is_told_what_is_wrong(body: object, named: str) -> None:
    with pytest.raises(InvalidInput, match=named):
        check_operation(body)
    with pytest.raises(InvalidInput, match=named):
        check_message({"type": "subscribe", "id": "1", "payload": body})


@pytest.mark.parametrize(
    "message",
    [
        1,
        None,
        [],
        "ping",
        {},
        {"type": None},
        {"type": []},
        {"type": "start"},
        {"type": "next", "id": "1"},
        {"type": "subscribe", "payload": {"query": "{ me }"}},
        {"type": "subscribe", "id": {}, "payload": {"query": "{ me }"}},
        {"type": "subscribe", "id": "1"},
        {"type": "complete", "id": []},
    ],
    ids=json.dumps,
)
def test_what_is_no_message_is_refused(message: object) -> None:
    with pytest.raises(InvalidInput):
        check_message(message)


def test_numbers_that_python_does_not_read() -> None:
    for digits in ("9" * 41, "-" + "9" * 5000):
        with pytest.raises(InvalidInput, match="digits"):
            check_operation({"query": "{ knowledges(first: " + digits + ") { edges { cursor } } }"})
    for text in ('{ a(b: "%s") }', '{ a(b: """%s""") }', "{ a } # %s", "{ a(b: 1.%s) }", "{ a'%s"):
        check_operation({"query": text % ("9" * 5000)})


def test_good_ones_pass() -> None:
    operation = {"query": "{ me { orgSlug } }", "variables": None, "operationName": None}
    assert check_operation(operation) == operation
    for message in ({"type": "ping"}, {"type": "complete", "id": "1"}, {"type": "connection_init", "payload": {}}):
        assert check_message(message) == message
