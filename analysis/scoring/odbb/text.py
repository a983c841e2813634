"""Text to comparable tokens: one normal form for fields, drugs and clinical phrases."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence

_NOT_WORD = re.compile(r"[^a-z0-9]+")
# Maps every ASCII character that is no letter or digit to a blank: faster than a regular expression.
_TO_WORDS = "".join(chr(c) if chr(c).isalnum() else " " for c in range(128))
_NOT_FIELD = re.compile(r"[\s\-./]+")
_NOT_DRUG = re.compile(r"[^a-z0-9/\-]+")
_SINGULAR = re.compile(r"(?<=[a-z0-9]{3})(?<!s|u|i)s$")


def folded(text: str) -> str:
    """Return the text in lower case, accents, compatibility forms and typographic dashes made plain."""
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFKD", text).casefold()
    text = text.translate(_DASHES)
    return "".join(c for c in text if not unicodedata.combining(c))


_DASHES = {ord(c): "-" for c in "\u2010\u2011\u2012\u2013\u2014\u2212"} | {
    ord("\u03ba"): "k",
    ord("\u03b2"): "b",
}


def plain(text: str) -> str:
    """Return lower-case words separated by single blanks.

    Examples
    --------
    >>> plain("  PD\u2011L1 (CPS): unknown?")
    'pd l1 cps unknown'
    """
    return " ".join(words_of(text))


def words_of(text: str) -> list[str]:
    """Return the lower-case words of a text: runs of Latin letters and digits.

    Examples
    --------
    >>> words_of("KRAS/NRAS-status?")
    ['kras', 'nras', 'status']
    """
    if text.isascii():
        return text.lower().translate(_TO_WORDS).split()
    return _NOT_WORD.sub(" ", folded(text)).split()


def field_key(name: str) -> str:
    """Return the form in which names of fields and values of enumerations are compared.

    Examples
    --------
    >>> field_key(" Next-Step "), field_key("Category 2A")
    ('next_step', 'category_2a')
    """
    return _NOT_FIELD.sub("_", folded(name).strip()).strip("_")


def drug_key(name: str) -> str:
    """Return the form in which names of drugs are compared.

    Examples
    --------
    >>> drug_key("FOLFOX-4"), drug_key("5 - FU"), drug_key("Trifluridine / Tipiracil")
    ('folfox4', '5fu', 'trifluridine/tipiracil')
    """
    return _NOT_DRUG.sub("", folded(name)).replace("-", "").strip("/")


def singular(word: str) -> str:
    """Return the word without a plural s.

    Examples
    --------
    >>> singular("margins"), singular("status"), singular("metastasis"), singular("gas")
    ('margin', 'status', 'metastasis', 'gas')
    """
    return _SINGULAR.sub("", word)


class Phrases:
    """Replaces phrases of several words by their canonical wording, longest first.

    Parameters
    ----------
    table : mapping of tuple of str to tuple of str
        Words of a phrase and words of its canonical wording.

    Examples
    --------
    >>> Phrases({("kras", "status"): ("ras", "status")}).replace(["the", "kras", "status"])
    ['the', 'ras', 'status']
    """

    def __init__(self, table: Mapping[tuple[str, ...], tuple[str, ...]]) -> None:
        by_first: dict[str, list[tuple[tuple[str, ...], tuple[str, ...]]]] = {}
        for phrase, canonical in table.items():
            by_first.setdefault(phrase[0], []).append((phrase, canonical))
        self._firsts = frozenset(by_first)
        self._by_first = {
            first: sorted(entries, key=lambda e: (-len(e[0]), e[0])) for first, entries in by_first.items()
        }

    def replace(self, words: Sequence[str]) -> list[str]:
        """Return the words with every known phrase replaced; what was replaced is not read again."""
        by_first = self._by_first
        if self._firsts.isdisjoint(words):
            return list(words)
        out: list[str] = []
        i, n = 0, len(words)
        while i < n:
            for phrase, canonical in by_first.get(words[i], ()):
                if tuple(words[i : i + len(phrase)]) == phrase:
                    out.extend(canonical)
                    i += len(phrase)
                    break
            else:
                out.append(words[i])
                i += 1
        return out
