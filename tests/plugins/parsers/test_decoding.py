"""Bytes to text: what a file says of itself comes first, then UTF-8, then a guess that is admitted."""

from __future__ import annotations

import codecs

import pytest

from matrix.plugins.parsers.decoding import decode, plain

GERMAN = "Die Größe der Äpfel überrascht: fünf Gänse schwömmen über den Fluß, und der Bär zählt sie. " * 4
RUSSIAN = "Съешь же ещё этих мягких французских булок, да выпей чаю. " * 8
JAPANESE = "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。" * 8


@pytest.mark.feature("B1")
@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        (codecs.BOM_UTF8 + GERMAN.encode(), "utf-8"),
        (GERMAN.encode("utf-16"), "utf-16-le"),
        (codecs.BOM_UTF16_BE + GERMAN.encode("utf-16-be"), "utf-16-be"),
        (GERMAN.encode("utf-32"), "utf-32-le"),
        (GERMAN.encode(), "utf-8"),
    ],
)
def test_marks_and_utf8_need_no_guess(data: bytes, encoding: str) -> None:
    decoded = decode(data)
    assert (decoded.text, decoded.encoding, decoded.warnings) == (GERMAN, encoding, ())


@pytest.mark.feature("B1")
@pytest.mark.parametrize(
    ("text", "encoding"), [(GERMAN, "cp1252"), (RUSSIAN, "cp1251"), (RUSSIAN, "koi8-r"), (JAPANESE, "shift_jis")]
)
def test_a_guess_is_right_and_admitted(text: str, encoding: str) -> None:
    decoded = decode(text.encode(encoding))
    assert decoded.text == text
    assert decoded.encoding in decoded.warnings[0]


def test_bytes_that_cannot_be_read_are_counted() -> None:
    decoded = decode(codecs.BOM_UTF16_LE + "ab".encode("utf-16-le") + b"\x00\xd8")
    assert decoded.text == "ab\ufffd"
    assert decoded.warnings == ("1 characters could not be read as utf-16-le and were replaced.",)


def test_line_ends_become_one_and_control_characters_go() -> None:
    assert plain("a\r\nb\rc\u2028d\fe\x00\x07f\tg") == "a\nb\nc\nd\nef\tg"


def test_a_declared_encoding_is_believed_where_the_bytes_allow() -> None:
    assert decode(GERMAN.encode("cp1252"), "cp1252").warnings == ()
    assert decode(GERMAN.encode(), "no-such-encoding").encoding == "utf-8"


@pytest.mark.parametrize(
    ("data", "text", "lost"),
    [
        (b"a \xed\xa0\x80 half of a character", "a \ufffd half of a character", 1),
        (b"a \xed\xa0\xbd\xed\xb8\x80 in two halves", "a \U0001f600 in two halves", 0),
        ("caf\u00e9, na\u00efve, \u00fcber".encode() + b" \xff", "caf\u00e9, na\u00efve, \u00fcber \ufffd", 1),
        ("Gr\u00fc\u00dfe aus K\u00f6ln".encode() + "\u00e4".encode()[:1], "Gr\u00fc\u00dfe aus K\u00f6ln\ufffd", 1),
    ],
)
def test_damaged_utf8_stays_utf8(data: bytes, text: str, lost: int) -> None:
    decoded = decode(data)
    assert (decoded.text, decoded.encoding) == (text, "utf-8")
    assert [str(lost) in warning for warning in decoded.warnings] == [True] * bool(lost)
