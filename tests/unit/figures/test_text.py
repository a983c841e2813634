"""Text from data: cleaned, measured, shortened, told apart."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from analysis.figures.text import clean, isolate, listing, natural, short_labels, shorten, text_width, wrap


@given(st.text(max_size=120))
def test_clean_text_is_one_visible_line(text: str) -> None:
    out = clean(text)
    assert out
    assert out == out.strip()
    assert not any(unicodedata.category(ch) in {"Cc", "Cs", "Zl", "Zp"} for ch in out)
    assert not any(ch in out for ch in "\u202a\u202b\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f")
    assert clean(out) == out


@given(st.text(min_size=1, max_size=120), st.floats(30, 300))
def test_shortened_text_fits(text: str, width: float) -> None:
    text = clean(text)
    short = shorten(text, width, 13)
    assert short == text or text_width(short, 13) <= width or short == "…"
    assert (text_width(text, 13) <= width) == (short == text) or short == text


@given(st.lists(st.text("ab-_ /12", max_size=60), max_size=12))
def test_labels_are_unique_whatever_the_names(names: list[str]) -> None:
    texts = {str(i): clean(name) for i, name in enumerate(names)}
    short = short_labels(texts, 120, 13)
    assert list(short) == list(texts)
    assert len(set(short.values())) == len(texts)


def test_labels_keep_what_tells_names_apart() -> None:
    stem = "prompt_with_random_search_and_more_words:"
    texts = {v: f"{stem}{v}_after_the_difference_many_words" for v in ("vicuna", "llama")}
    short = short_labels(texts, 150, 13)
    assert all(key in text and "#" not in text for key, text in short.items())


def test_equal_names_get_a_mark_of_their_key_that_does_not_change() -> None:
    assert short_labels({"a": "same", "b": "same"}, 200, 13) == {"a": "same #ca97", "b": "same #3e23"}


@given(st.text(max_size=200), st.floats(60, 400), st.integers(1, 4))
def test_wrapped_lines_fit(text: str, width: float, most: int) -> None:
    text = clean(text)
    lines = wrap(text, width, 12, max_lines=most)
    assert len(lines) <= most
    assert all(text_width(line, 12) <= width or line == "…" for line in lines)


def test_wrapping_loses_no_word() -> None:
    text = "n = 2,000 items; 95% Wilson intervals. Bands are tiers; models of one tier need not be tied."
    assert " ".join(wrap(text, 150, 12)) == text


def test_right_to_left_names_are_isolated() -> None:
    assert isolate("abc") == "abc"
    assert isolate("مرحبا") == "\u2068مرحبا\u2069"
    assert listing(["مرحبا", "b"]) == "\u2068مرحبا\u2069 and b"


def test_natural_order() -> None:
    assert sorted(["item 10", "item 9", "Item 1", "", "²"], key=natural) == [
        "",
        "Item 1",
        "item 9",
        "item 10",
        "²",
    ]


def test_widths_of_wide_and_joining_characters() -> None:
    assert text_width("漢", 10) == 10
    assert text_width("e\u0301", 10) == text_width("e", 10)
    assert text_width("WWW", 10) > text_width("iii", 10)
