"""JSON as it comes in, by POST or over a socket, checked before Strawberry reads it: whether it is JSON at all, and has
the shape of an operation or of a message of graphql-transport-ws. What the operation itself says is checked by
GraphQL."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import suppress

from graphql import GraphQLSyntaxError, Lexer, Source, TokenKind

from matrix.api.graphql.limits import MAX_TOKENS
from matrix.domain.entities import is_text
from matrix.errors import InvalidInput

MESSAGES = ("connection_init", "ping", "pong", "subscribe", "complete")
ADVICE = "POST {query, variables, operationName} as JSON."
SOCKET_ADVICE = "Speak graphql-transport-ws."
LONGEST_NUMBER = 40  # digits
_DIGITS = re.compile(rf"\d{{{LONGEST_NUMBER + 1}}}")
_HALF_CHARACTER = re.compile(r"\\u[dD][89a-fA-F]")


def read_json(data: str | bytes) -> object:
    """Errors: InvalidInput `bad_request`, for all that is no JSON, nests too deeply or holds what cannot be kept."""
    try:
        found: object = json.loads(data, parse_constant=_no_number)
        halves = _HALF_CHARACTER.search(data if isinstance(data, str) else data.decode(errors="replace"))
        if halves and not is_text(json.dumps(found, ensure_ascii=False)):
            raise bad_request("The request holds half a character (a lone surrogate).")
    except RecursionError:
        raise bad_request("The JSON nests too deeply.") from None
    except UnicodeDecodeError:
        raise bad_request("The request is not UTF-8.") from None
    except ValueError:  # a number of thousands of digits is one, too
        raise bad_request("The request is no JSON.") from None
    return found


def check_operation(body: object, advice: str = ADVICE) -> Mapping[str, object]:
    """What a POST or the payload of `subscribe` holds. Errors: InvalidInput `bad_request`."""
    if isinstance(body, list):
        raise bad_request("One operation a request: lists of them are not taken.", advice)
    if not isinstance(body, dict):
        raise bad_request("The request must be a JSON object.", advice)
    query = body.get("query")
    if not isinstance(query, str) or not query.strip():
        raise bad_request("`query` must be the text of an operation.", advice)
    if _holds_a_long_number(query):
        raise bad_request(f"`query` holds a number of more than {LONGEST_NUMBER} digits.", advice)
    for name in ("variables", "extensions"):
        if not isinstance(body.get(name), dict | None):
            raise bad_request(f"`{name}` must be an object.", advice)
    if not isinstance(body.get("operationName"), str | None):
        raise bad_request("`operationName` must be text.", advice)
    return body


def check_message(message: object) -> Mapping[str, object]:
    """A message of graphql-transport-ws from a client. Errors: InvalidInput `bad_request`."""
    if not isinstance(message, dict):
        raise bad_request("A message must be a JSON object.", SOCKET_ADVICE)
    kind = message.get("type")
    if kind not in MESSAGES:
        raise bad_request(f"The type of a message must be one of {', '.join(MESSAGES)}.", SOCKET_ADVICE)
    if kind in {"subscribe", "complete"} and not isinstance(message.get("id"), str):
        raise bad_request(f"The id of a {kind} must be text.", SOCKET_ADVICE)
    if kind == "subscribe":
        check_operation(message.get("payload"), SOCKET_ADVICE)
    return message


def bad_request(message: str, advice: str = ADVICE) -> InvalidInput:
    return InvalidInput(message, code="bad_request", advice=advice)


def _holds_a_long_number(query: str) -> bool:
    """Whether there is a number that Python, and so GraphQL's own check, cannot read. Digits within a text are none."""
    if not _DIGITS.search(query):
        return False
    lexer = Lexer(Source(query))
    with suppress(GraphQLSyntaxError):  # which the parser tells better
        for _ in range(MAX_TOKENS):
            token = lexer.advance()
            if token.kind is TokenKind.INT and len(token.value or "") > LONGEST_NUMBER:
                return True
            if token.kind is TokenKind.EOF:
                break
    return False


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is no JSON")
