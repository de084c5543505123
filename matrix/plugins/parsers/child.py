"""What a parser child runs: document on standard input, `<media type> <first page> <page after the last>` as arguments,
result on standard output: a line of JSON, then the document. Holds no safeguard; its launcher has applied them."""

from __future__ import annotations

import gc
import json
import os
import sys

from matrix.domain.parsed_json import encode_parsed
from matrix.errors import DocumentError, UnsupportedType
from matrix.plugins.parsers.registry import parse_pages


def main() -> None:
    gc.disable()  # the process ends with its document
    answer = _claim_standard_output()
    media_type, first, after = sys.argv[1:]
    data = sys.stdin.buffer.read()
    try:
        document, all_pages = parse_pages(data, media_type, int(first), int(after))
    except (DocumentError, UnsupportedType) as error:
        fields = {"code": error.code, "message": error.message, "advice": error.advice}
        os.write(answer, json.dumps({"error": fields}).encode() + b"\n")
        return
    with os.fdopen(answer, "wb") as out:
        out.write(json.dumps({"all_pages": all_pages}).encode() + b"\n")
        out.write(encode_parsed(document))


def _claim_standard_output() -> int:
    """The result's own descriptor; what a library prints goes to standard error instead."""
    answer = os.dup(1)
    os.dup2(2, 1)
    return answer


if __name__ == "__main__":
    main()
