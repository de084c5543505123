"""Bytes of a text file to text: byte order mark, then strict UTF-8, then a guess that is recorded and warned of."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Single-byte guesses for Latin text are all taken as what Windows wrote: of the candidates it is by far the commonest.
_LATIN = {"cp1250", "cp1252", "latin_1", "iso8859_1", "iso8859_2", "iso8859_15", "iso8859_16", "cp1254", "iso8859_9",
          "cp1257", "iso8859_4", "iso8859_10", "iso8859_13", "iso8859_14", "cp850", "cp858", "cp437", "cp775", "cp852",
          "mac_roman", "mac_latin2", "mac_iceland", "mac_turkish", "cp500", "cp1140",
          "cp1026", "cp273", "hp_roman8"}  # fmt: skip
_SAMPLE = 1 << 18
_LINE_ENDS = re.compile("\r\n?|[\v\f\x1c-\x1e\x85\u2028\u2029]")
_UNPRINTABLE = re.compile("[\x00-\x08\x0e-\x1b\x1f\x7f\ufffe\uffff\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text with `\\n` line ends and no control characters but tabs, and how it was read."""

    text: str
    encoding: str
    warnings: tuple[str, ...] = ()


def decode(data: bytes, declared: str | None = None) -> Decoded:
    """`declared` is the encoding that the file itself names (HTML), believed where the bytes allow it."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _decoded(data[len(mark) :], encoding)
    if declared and (text := _strictly(data, declared)) is not None:
        return Decoded(plain(text), declared)
    if (text := _strictly(data, "utf-8")) is not None:
        return Decoded(plain(text), "utf-8")
    return _damaged_utf8(data) or _guessed(data)


def plain(text: str) -> str:
    """Line ends as `\\n`, control characters gone; every other character as it was."""
    return _UNPRINTABLE.sub("", _LINE_ENDS.sub("\n", text))


def _decoded(data: bytes, encoding: str) -> Decoded:
    text = data.decode(encoding, "replace")
    return Decoded(plain(text), encoding, _damage_warning(text, encoding))


def _damaged_utf8(data: bytes) -> Decoded | None:
    """What was meant as UTF-8: characters in two halves, as Java writes them, are put together; of a file with other
    damage most of the longer characters must be whole, and other encodings hardly ever make one."""
    halves = _strictly(data, "utf-8", "surrogatepass")
    if halves is not None:
        text = halves.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        return Decoded(plain(text), "utf-8", _damage_warning(text, "utf-8"))
    decoded = _decoded(data, "utf-8")
    lost = decoded.text.count("\ufffd")
    longer = sum(char > "\x7f" for char in decoded.text)
    return decoded if longer > 2 * lost else None


def _guessed(data: bytes) -> Decoded:
    encoding = _guess(data[:_SAMPLE])
    text = data.decode(encoding, "replace")
    guess = f"The file does not say its encoding and is not UTF-8; it was read as {encoding}."
    return Decoded(plain(text), encoding, (guess, *_damage_warning(text, encoding)))


def _guess(sample: bytes) -> str:
    from charset_normalizer import from_bytes  # noqa: PLC0415  # only for the rare file that needs it: 60 ms

    best = from_bytes(sample).best()
    return "cp1252" if best is None or best.encoding in _LATIN else best.encoding


def _strictly(data: bytes, encoding: str, errors: str = "strict") -> str | None:
    try:
        return data.decode(encoding, errors)
    except (UnicodeDecodeError, LookupError):
        return None


def _damage_warning(text: str, encoding: str) -> tuple[str, ...]:
    lost = text.count("\ufffd")
    return (f"{lost} characters could not be read as {encoding} and were replaced.",) if lost else ()
