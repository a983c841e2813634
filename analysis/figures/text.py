"""Text in figures: cleaning what comes from data, measuring it, shortening it, writing numbers.

Widths are those of Liberation Sans, the font that the renderer carries; Arial and Helvetica have
the same advance widths, so what fits here fits on the page.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence

ELLIPSIS = "…"
_ASCII = (
    "278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 "
    "278 278 584 584 584 556 1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 667 778 "
    "722 667 611 722 667 944 667 667 611 278 278 278 469 556 333 556 556 500 556 556 278 556 556 222 222 "
    "500 222 833 556 556 556 556 333 500 278 556 500 722 500 500 500 334 260 334 584"
)
_WIDTHS = {chr(32 + i): int(w) / 1000 for i, w in enumerate(_ASCII.split())}
_WIDTHS.update({ELLIPSIS: 1.0, "–": 0.556, "−": 0.584, "·": 0.278, "×": 0.584, "κ": 0.5, "≥": 0.549})
_BOLD = 1.07
"""Bold text is at most about this much wider than regular text."""

_SPLIT = re.compile(r"(?<=[-_/:| .,;+@])")
_TWICE = re.compile(f"{ELLIPSIS}\\s*{ELLIPSIS}")
_HIDDEN = frozenset(range(0x202A, 0x202F)) | frozenset(range(0x2066, 0x206A)) | {0x200E, 0x200F, 0xFEFF}
"""Characters that reorder the text around them: a name must not be able to do that."""


def clean(value: object) -> str:
    r"""Return a value from data as one line of text without control and reordering characters.

    Examples
    --------
    >>> clean("a\n b"), clean(None), clean(" "), clean("GPT\u202e4")
    ('a b', '(none)', '(empty)', 'GPT4')
    """
    if value is None:
        return "(none)"
    kept = []
    for ch in str(value):
        code, category = ord(ch), unicodedata.category(ch)
        if code in _HIDDEN or category == "Cs" or (code & 0xFFFE) == 0xFFFE or 0xFDD0 <= code <= 0xFDEF:
            continue
        kept.append(" " if category in {"Cc", "Zl", "Zp"} else ch)
    return " ".join("".join(kept).split()) or "(empty)"


def spaced(value: object) -> str:
    """Return a cleaned value, its underscores as spaces where it is plain words joined by them.

    Examples
    --------
    >>> spaced("missing_information"), spaced("v1_final"), spaced("_x")
    ('missing information', 'v1_final', '_x')
    """
    text = clean(value)
    return text.replace("_", " ") if re.fullmatch(r"[A-Za-z]+(_[A-Za-z]+)+", text) else text


def isolate(text: str) -> str:
    """Wrap right-to-left text in directional isolates, so that the sentence around it keeps its order."""
    if any(unicodedata.bidirectional(ch) in {"R", "AL", "AN"} for ch in text):
        return f"\u2068{text}\u2069"
    return text


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """Return the width in pixels of a line of text.

    Parameters
    ----------
    text : str
        One line.
    size : float
        Font size in pixels.
    bold : bool
        Set in bold.

    Examples
    --------
    >>> round(text_width("GPT-4", 10), 1)
    29.5
    """
    total = sum(_WIDTHS.get(ch) or _other_width(ch) for ch in text)
    return total * size * (_BOLD if bold else 1.0)


def _other_width(ch: str) -> float:
    """Return a safe width in em of a character outside the table."""
    if unicodedata.category(ch) in {"Mn", "Me", "Cf"}:
        return 0.0
    if unicodedata.east_asian_width(ch) in {"W", "F"}:
        return 1.25 if ord(ch) >= 0x1F000 else 1.0
    return 0.72 if ch.isupper() else 0.62


def shorten(text: str, width: float, size: float) -> str:
    """Shorten text from the middle until it fits a width, whole words first.

    Beginning and end are kept about equally: makers differ there, and variants of one model here.

    Examples
    --------
    >>> shorten("ironshell-ironforge:ironshell_airline_gpt54_run1", 200, 13)
    'ironshell-ironforge:…gpt54_run1'
    """
    if text_width(text, size) <= width:
        return text
    parts = _SPLIT.split(text)
    best, worth = "", (0, 0, 0)
    for head in range(1, len(parts)):
        for tail in range(head + 1, len(parts)):
            start, end = "".join(parts[:head]), "".join(parts[tail:])
            value = (min(len(start), len(end)), len(start) + len(end), len(end))
            if value > worth and text_width(start + ELLIPSIS + end, size) <= width:
                best, worth = start + ELLIPSIS + end, value
    plain = _shorten_anywhere(text, width, size)
    # text that was shortened before keeps one ellipsis
    return _TWICE.sub(ELLIPSIS, best if len(best) >= 0.75 * len(plain) else plain)


def _shorten_anywhere(text: str, width: float, size: float) -> str:
    keep = len(text)
    while keep > 1:
        keep -= 1
        head = round(keep * 0.45)
        short = text[:head].rstrip() + ELLIPSIS + text[len(text) - (keep - head) :].lstrip()
        if text_width(short, size) <= width:
            return short
    return ELLIPSIS


def shorten_end(text: str, width: float, size: float) -> str:
    """Cut text at its end until it fits a width."""
    if text_width(text, size) <= width:
        return text
    while text and text_width(text + ELLIPSIS, size) > width:
        text = text[:-1].rstrip()
    return text + ELLIPSIS


def short_labels(texts: Mapping[str, str], width: float, size: float) -> dict[str, str]:
    """Shorten the texts of several keys so that each fits the width and no two are the same.

    Parameters
    ----------
    texts : mapping of str to str
        Key to text. Texts may repeat; keys do not.
    width, size : float
        Width to fit and font size, in pixels.

    Returns
    -------
    dict of str to str
        Key to short text. Texts that would be equal are shortened around what tells them apart,
        and if that does not help, a mark made from the key follows.

    Examples
    --------
    >>> names = [f"adaptive-agent:adaptive_agent_{domain}_cascata" for domain in ("airline", "triage")]
    >>> list(short_labels(dict(zip("ab", names, strict=True)), 160, 13).values())
    ['adaptive-…airline_cascata', 'adaptive-…triage_cascata']
    """
    short = {key: shorten(text, width, size) for key, text in texts.items()}
    for alike in _repeated(short):
        short |= _distinguish({key: texts[key] for key in alike}, width, size)
    for alike in _repeated(short):
        for key in alike:
            digest = hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
            mark = f" #{digest[:4]}"
            short[key] = shorten(texts[key], width - text_width(mark, size), size) + mark
    return short


def _repeated(short: Mapping[str, str]) -> list[list[str]]:
    """Return the groups of keys that share a text."""
    groups: dict[str, list[str]] = {}
    for key, text in short.items():
        groups.setdefault(text, []).append(key)
    return [keys for keys in groups.values() if len(keys) > 1]


def _distinguish(texts: Mapping[str, str], width: float, size: float) -> dict[str, str]:
    """Shorten texts around what tells them apart: their common beginning and end give way."""
    parts = {key: _SPLIT.split(text) for key, text in texts.items()}
    least = min(len(p) for p in parts.values())
    columns = list(zip(*(p[:least] for p in parts.values()), strict=True))
    start = next((i for i, c in enumerate(columns) if len(set(c)) > 1), least)
    backwards = list(zip(*(p[::-1][: least - start] for p in parts.values()), strict=True))
    end = next((i for i, c in enumerate(backwards) if len(set(c)) > 1), least - start)
    out = {}
    for key, words in parts.items():
        middle = "".join(words[start : len(words) - end])
        best = shorten(middle, width - 2 * text_width(ELLIPSIS, size), size)
        for head in range(start + 1):
            for tail in range(end + 1):
                text = "".join(words[:head]) + (ELLIPSIS if head < start else "") + middle
                text += (ELLIPSIS if tail < end else "") + "".join(words[len(words) - tail :])
                if text_width(text, size) <= width and len(text) > len(best):
                    best = text
        out[key] = best
    return out


def wrap(text: str, width: float, size: float, *, bold: bool = False, max_lines: int = 0) -> list[str]:
    """Break text into lines of at most a width in pixels; the last of `max_lines` is cut."""
    lines: list[str] = []
    line = ""
    for word in text.split():
        candidate = f"{line} {word}".strip()
        if line and text_width(candidate, size, bold=bold) > width:
            lines.append(line)
            line = word
        else:
            line = candidate
    lines = [shorten(x, width, size) for x in [*lines, line] if x]
    if max_lines and len(lines) > max_lines:
        rest = " ".join(lines[max_lines - 1 :])
        lines = [*lines[: max_lines - 1], shorten_end(rest, width, size)]
    return lines


def percent(value: float | None, digits: int = 1) -> str:
    """Write a share as a percentage: 0.4213 is 42.1%.

    Examples
    --------
    >>> percent(0.42134), percent(1.0), percent(None), percent(-0.05)
    ('42.1%', '100%', '–', '−5.0%')
    """
    if value is None:
        return "–"
    text = f"{100 * value:.{digits}f}"
    text = {f"{0:.{digits}f}": "0", f"{-0.0:.{digits}f}": "0", f"{100:.{digits}f}": "100"}.get(text, text)
    return text.replace("-", "−") + "%"


def points(value: float | None, digits: int = 1, *, sign: bool = True) -> str:
    """Write a difference of shares in percentage points, with its sign.

    Examples
    --------
    >>> points(0.1234), points(-0.05), points(-0.0001), points(None)
    ('+12.3', '−5.0', '0.0', '–')
    """
    if value is None:
        return "–"
    text = f"{100 * value:+.{digits}f}"
    if not text.strip("+-0."):
        text = text[1:]
    return (text if sign else text.lstrip("+")).replace("-", "−")


def count(value: int | None) -> str:
    """Write a count with thousands separated: 2005 is 2,005."""
    return "–" if value is None else f"{value:,}"


def plural(n: int, noun: str, many: str = "") -> str:
    """Write a count with its noun.

    Examples
    --------
    >>> plural(1, "item"), plural(2005, "item"), plural(0, "category", "categories")
    ('1 item', '2,005 items', '0 categories')
    """
    return f"{n:,} {noun if n == 1 else many or noun + 's'}"


def span(low: int, high: int) -> str:
    """Write a range of whole numbers.

    Examples
    --------
    >>> span(2, 2), span(1, 4)
    ('2', '1–4')
    """
    return f"{low:,}" if low == high else f"{low:,}–{high:,}"


def listing(names: Sequence[str] | Iterable[str], most: int = 3) -> str:
    """Write names as a list for running text; beyond `most`, the rest is counted.

    Examples
    --------
    >>> listing(["a", "b"]), listing(["a", "b", "c", "d", "e"])
    ('a and b', 'a, b, c and 2 more')
    """
    items = [isolate(name) for name in names]
    if len(items) > most + 1:
        return f"{', '.join(items[:most])} and {len(items) - most:,} more"
    return " and ".join([", ".join(items[:-1]), items[-1]] if len(items) > 1 else items)


def natural(text: str) -> tuple[list[tuple[int, int, str]], str]:
    """Return a sorting key by which numbers inside text count as numbers.

    Examples
    --------
    >>> sorted(["b 10", "b 2", "a"], key=natural)
    ['a', 'b 2', 'b 10']
    """
    parts = re.split(r"([0-9]+)", text)
    return [(0, int(p), "") if p.isdecimal() else (1, 0, p.casefold()) for p in parts if p], text


def usd(value: float | None) -> str:
    """Write an amount of US dollars with three significant digits.

    Examples
    --------
    >>> usd(0.00123), usd(12.5), usd(0.0), usd(1234.5)
    ('$0.00123', '$12.50', '$0', '$1,234')
    """
    if value is None:
        return "–"
    if value == 0:
        return "$0"
    if value >= 100:
        return f"${value:,.0f}"
    if value >= 1:
        return f"${value:,.2f}"
    digits = 0
    while value * 10**digits < 100 and digits < 12:
        digits += 1
    return f"${value:.{digits}f}".rstrip("0") if digits else f"${value}"
