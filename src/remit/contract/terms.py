"""Text to matching terms: one function for documents, queries and facts.

NFKC, case folding, stemming by language, CJK unigrams and bigrams; numbers, dates and part codes stay searchable.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from importlib import import_module
from typing import Any, NamedTuple

from remit.contract.stopwords import STOPWORDS

__all__ = ["STOPWORDS", "Term", "codes", "content_terms", "term_set", "terms"]

SNOWBALL = {
    "ar": "arabic",
    "ca": "catalan",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "es": "spanish",
    "eu": "basque",
    "fi": "finnish",
    "fr": "french",
    "ga": "irish",
    "hi": "hindi",
    "hu": "hungarian",
    "hy": "armenian",
    "id": "indonesian",
    "it": "italian",
    "lt": "lithuanian",
    "ne": "nepali",
    "nl": "dutch",
    "no": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sr": "serbian",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
    "yi": "yiddish",
}
"""Languages that are stemmed; words of any other are matched as they are."""

_CONNECTORS = "-/_"
_TO_ASCII = {**dict.fromkeys("\u2010\u2011\u2212", "-"), **dict.fromkeys("\u2018\u2019\u02bc", "'"), "\u2044": "/"}
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer: written without spaces, as CJK is
    "\u1100-\u11ff\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3040-\u30fa\u30fc-\u30ff\u3100-\u318f\u31a0-\u31bf"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
    "\U0001b000-\U0001b16f\U00020000-\U0003ffff]"
)
_NOT_ASCII = re.compile("[^\x00-\x7f]+")
# The patterns below read a text of classes: a letter, 0 digit, c unspaced script, connectors and `.,'` as they are.
_DATE = r"0000(?:-00-00|/00/00)(?!0)"
_GROUPED = {",": r"0{1,3}(?:,000)+(?:\.0+)?(?!0)", ".": r"0{1,3}(?:\.000)+(?:,0+)?(?!0)|0+,0+(?![0,])"}
_TOKEN = {
    mark: re.compile(
        rf"(?P<date>{_DATE})|(?P<day>00?\.00?\.0000(?![0a.]))|(?P<grouped>{grouped})|(?P<run>c+)"
        r"|(?P<word>[a0](?:[a0]|(?<=0)\.(?=0)|[-/_](?=[a0]))*)"
    )
    for mark, grouped in _GROUPED.items()
}
_ATOM = re.compile(rf"{_DATE}|a+|0+(?:\.0+)*")
_SEGMENT = re.compile(r"[^-/_]+")
_LONGEST_STEMMED = 40
_MOST_PARTS = 10
_NO_CODE_PREFIX = frozenset({"early", "late", "mid", "non", "post", "pre", "sub", "top"})


class Term(NamedTuple):
    """A matching term and the code points it came from."""

    term: str
    start: int
    end: int


class _Classes(dict[int, str]):
    """The class of a folded code point, found once."""

    def __missing__(self, point: int) -> str:
        char = chr(point)
        kind = unicodedata.category(char)
        if _UNSPACED.match(char) and kind[0] in "LMN":
            found = "c"
        elif kind == "Nd":
            found = "0"
        elif kind[0] in "LM" or kind in {"Nl", "No"}:
            found = "a"
        else:
            found = char if char in _CONNECTORS + ".,'" else " "
        self[point] = found
        return found


_CLASSES = _Classes()


class _Folded(NamedTuple):
    """A text as it is compared, and for each of its characters the code points it came from (None: the same)."""

    text: str
    starts: list[int] | None
    ends: list[int] | None

    def at(self, start: int, end: int) -> tuple[int, int]:
        if self.starts is None or self.ends is None:
            return start, end
        return self.starts[start], self.ends[end - 1]


def terms(text: str, language: str = "en") -> list[Term]:
    """Return the terms of `text`, in order, with their offsets into it.

    Compounds and part codes come whole and then in parts, each with its own offsets; ``1,200`` is ``1200``.

    >>> [found.term for found in terms("Tighten P-101/B to 1,200 Nm")]
    ['tighten', 'p-101/b', 'p', '101', 'b', 'to', '1200', 'nm']
    """
    return [found for found, _ in _found(text, language.partition("-")[0].casefold())]


@lru_cache(maxsize=4096)
def term_set(text: str, language: str = "en") -> frozenset[str]:
    """Return the distinct terms of `text`."""
    return frozenset(found.term for found in terms(text, language))


@lru_cache(maxsize=1024)
def content_terms(text: str, language: str = "en") -> tuple[Term, ...]:
    """Return the terms of `text` without function words.

    >>> [found.term for found in content_terms("What is the torque of the pumps?")]
    ['torqu', 'pump']
    """
    code = language.partition("-")[0].casefold()
    stopwords = STOPWORDS.get(code, frozenset())
    return tuple(found for found, written in _found(text, code) if written not in stopwords)


@lru_cache(maxsize=8192)
def codes(text: str) -> tuple[str, ...]:
    """Return the identifier-like codes in `text` as written, case folded, in order and once each.

    A code has letters and digits and starts with a letter (``P-101/B``, ``M12``), or with a number where capitals follow
    (``6205-2RS``); measures such as ``10-day`` and ``45kg`` are none.

    >>> codes("Does PR-114 cover pump P-101/B within the 10-day limit?")
    ('pr-114', 'p-101/b')
    """
    folded = _fold(text)
    classes = folded.text.translate(_CLASSES)
    found: dict[str, None] = {}
    for match in _TOKEN[","].finditer(classes):
        shape = match[0]
        if match.lastgroup != "word" or "a" not in shape or "0" not in shape:
            continue
        start, end = folded.at(*match.span())
        word = folded.text[match.start() : match.end()]
        first = _SEGMENT.findall(word)[0]
        numbered = first.replace(".", "").isdigit() and any(c.isupper() for c in text[start:end])
        if (shape[0] == "a" and first not in _NO_CODE_PREFIX) or numbered:
            found[word] = None
    return tuple(found)


def _fold(text: str) -> _Folded:
    """Return `text` under NFKC and case folding with the way back to its code points."""
    if text.isascii():
        return _Folded(text.lower(), None, None)
    out: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    done = 0
    for match in _NOT_ASCII.finditer(text):
        start, end = match.span()
        if _continues(text[start]) and start > done:
            start -= 1
        out.extend(text[done:start].lower())
        starts.extend(range(done, start))
        ends.extend(range(done + 1, start + 1))
        for left, right in _clusters(text, start, end):
            folded = _fold_cluster(text[left:right], after_digit=bool(out) and out[-1].isdigit())
            out.extend(folded)
            starts.extend([left] * len(folded))
            ends.extend([right] * len(folded))
        done = end
    out.extend(text[done:].lower())
    starts.extend(range(done, len(text)))
    ends.extend(range(done + 1, len(text) + 1))
    return _Folded("".join(out), starts, ends)


def _continues(char: str) -> bool:
    """Say whether normalisation may join `char` to the one before: marks, Hangul jamo, half-width voicing."""
    return "\u1160" <= char <= "\u11ff" or char in "\uff9e\uff9f" or unicodedata.category(char)[0] == "M"


def _clusters(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    left = start
    for right in range(start + 1, end + 1):
        if right == end or not _continues(text[right]):
            yield left, right
            left = right


@lru_cache(maxsize=8192)
def _fold_cluster(cluster: str, *, after_digit: bool) -> str:
    kind = unicodedata.category(cluster[0])
    if kind == "Cf" and cluster[0] != "\u200b":
        return cluster[1:]  # soft hyphens and joiners stand inside words; a zero-width space ends one
    if kind == "Nd":
        return str(unicodedata.decimal(cluster[0])) + cluster[1:]
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", cluster).casefold())
    folded = "".join(_TO_ASCII.get(char, char) for char in folded)
    return " " + folded if kind == "No" and after_digit else folded  # 1½ is not 11/2


def _found(text: str, language: str) -> Iterator[tuple[Term, str]]:
    """Yield each term with the folded words it stands for."""
    folded = _fold(text)
    classes = folded.text.translate(_CLASSES)
    decimal_comma = language != "en" and language in SNOWBALL
    for match in _TOKEN["." if decimal_comma else ","].finditer(classes):
        start, end = match.span()
        written = folded.text[start:end]
        match match.lastgroup:
            case "run":
                yield from _grams(folded, start, end)
            case "date":
                yield Term(written.replace("/", "-"), *folded.at(start, end)), written
            case "day":
                day, month, year = written.split(".")
                yield Term(f"{year}-{month:0>2}-{day:0>2}", *folded.at(start, end)), written
            case "grouped":
                number = written.replace(".", "").replace(",", ".") if decimal_comma else written.replace(",", "")
                yield Term(number, *folded.at(start, end)), written
            case _:
                if language == "en" and written == "s" and folded.text[start - 1 : start] == "'":
                    continue  # the possessive is no term
                yield from _word(folded, classes, start, end, language)


def _grams(folded: _Folded, start: int, end: int) -> Iterator[tuple[Term, str]]:
    """Yield each character of a script without spaces, and each pair of neighbours."""
    for at in range(start, end):
        for stop in range(at + 1, min(at + 2, end) + 1):
            gram = folded.text[at:stop]
            yield Term(gram, *folded.at(at, stop)), gram


def _word(folded: _Folded, classes: str, start: int, end: int, language: str) -> Iterator[tuple[Term, str]]:
    """Yield a word; a compound or a code whole, then its segments that mix letters and digits, then its atoms."""
    atoms = [match.span() for match in _ATOM.finditer(classes, start, end)]
    if atoms == [(start, end)]:
        yield _atom(folded, start, end, language)
        return
    whole = {(start, end)}
    if len(atoms) > _MOST_PARTS:  # a digest or a serial number is no compound
        atoms = []
    else:
        segments = (match for match in _SEGMENT.finditer(classes, start, end))
        whole |= {match.span() for match in segments if "a" in match[0] and "0" in match[0]}
    for left, right in sorted(whole.union(atoms), key=lambda span: (span[0], -span[1])):
        if (left, right) in whole:
            written = folded.text[left:right]
            yield Term(written, *folded.at(left, right)), written
        else:
            yield _atom(folded, left, right, language)


def _atom(folded: _Folded, start: int, end: int, language: str) -> tuple[Term, str]:
    written = folded.text[start:end]
    return Term(_stem(written, language), *folded.at(start, end)), written


_stemmers: dict[str, Any] = {}
_stemming = threading.Lock()


@lru_cache(maxsize=1 << 16)
def _stem(word: str, language: str) -> str:
    name = SNOWBALL.get(language)
    if name is None or len(word) > _LONGEST_STEMMED or word[0].isdigit():
        return word
    with _stemming:  # a stemmer keeps the word it works on
        if language not in _stemmers:
            _stemmers[language] = import_module("snowballstemmer").stemmer(name)  # all languages: not at import time
        return str(_stemmers[language].stemWord(word))
