from hypothesis import given
from hypothesis import strategies as st

from matrix.answer.reply import Reply, finish, take


def read(pieces: list[str]) -> tuple[bool | None, str, list[str]]:
    reply, shown, sentences = Reply(), "", list[str]()
    for piece in pieces:
        step = take(reply, piece)
        reply, shown = step.reply, shown + step.shown
        sentences += step.sentences
    last = finish(reply)
    return last.reply.verdict, shown + last.shown, sentences + list(last.sentences)


def test_verdict_comes_first_and_is_not_shown() -> None:
    verdict, shown, sentences = read(["ANSWER", "ABLE: y", "es\nYou have 30 days. [1] ", "Keep the box. [2]"])
    assert verdict is True
    assert "ANSWERABLE" not in shown
    assert [s.strip() for s in sentences] == ["You have 30 days. [1]", "Keep the box. [2]"]


def test_after_no_nothing_is_shown() -> None:
    assert read(["ANSWERABLE: no\n", "But I believe it is 42."]) == (False, "", [])


def test_bold_and_spaced_verdicts_count() -> None:
    assert read(["**ANSWERABLE:** no"])[0] is False
    assert read([" answerable : No\n"])[0] is False


def test_a_reply_without_a_verdict_is_an_answer() -> None:
    verdict, shown, sentences = read(["Thirty days. [1]"])
    assert verdict is True
    assert shown == "Thirty days. [1]"
    assert len(sentences) == 1


@given(st.lists(st.integers(1, 9), max_size=20))
def test_the_cuts_of_a_stream_do_not_matter(cuts: list[int]) -> None:
    text = "ANSWERABLE: yes\nThe allowance is 48 euros [1]. It rose in 2026. [1][2]\n- Hotels: 160 euros [3]\n"
    pieces, place = [], 0
    for cut in cuts:
        pieces.append(text[place : place + cut])
        place += cut
    pieces.append(text[place:])
    whole = read([text])
    cut_up = read([piece for piece in pieces if piece])
    assert "".join(cut_up[2]).split() == "".join(whole[2]).split()
    assert cut_up[0] == whole[0]
