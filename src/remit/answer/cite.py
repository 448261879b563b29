"""From what a model quotes to citations that verify: exact spans of stored text, or nothing.

A quotation is found word for word, else nearly so: case, punctuation, spaces and hyphens do not count, and at most a tenth
of the characters may differ, numbers and negations never. What is cited is the stored text, whole sentences of it.
"""

from __future__ import annotations

import re
import unicodedata
from difflib import SequenceMatcher
from typing import Final, NamedTuple

from remit.answer.carry import Statement, carried, statements
from remit.answer.draft import Citation, Claim
from remit.answer.numerals import as_english
from remit.answer.orders import states
from remit.answer.reply import Parsed
from remit.answer.support import negated, supports
from remit.answer.unquoted import said_in
from remit.contract.contract import Contract
from remit.contract.value import text_digest
from remit.corpus.document import Passage, Span
from remit.retrieve.retriever import Hit

__all__ = ["Cited", "cite", "locate", "quoted", "supports", "verify"]

NEAR: Final = 0.9
"""How much of a quotation must agree with the stored text. It is never lowered to find something."""

_SHORT: Final = 12
"""A folded quotation shorter than this many characters must stand at one place only."""

UNQUOTED: Final = "the model quoted nothing: sentences that say what it says were looked for"

_LONGEST: Final = 4_000
_SEVERAL: Final = 2
_REPLY: Final = re.compile(r"(?m)^\W*(?:QUOTE\s*\[\d+\]|ANSWER)\s*:")
"""How a reply begins its lines."""
_DIGITS: Final = re.compile(r"\d+")


class Cited(NamedTuple):
    """What is left of a reply: an answer that rests on its claims, or None; `why` says what was left out."""

    answer: str | None
    claims: tuple[Claim, ...]
    why: str


def cite(parsed: Parsed, contract: Contract, hits: tuple[Hit, ...]) -> Cited:
    """Return what of a reply verifies. A quotation that is not found is no citation; what no citation carries is dropped.

    Where a reply quotes nothing at all, the sentences that say what it says are looked for; beside a false one they are not.
    """
    if parsed.answer is None:
        return Cited(None, (), "the model found no answer in the passages")
    left_out = list(parsed.rejected)
    found: dict[Citation, Hit] = {}
    for number, text in parsed.quotes:
        match quoted(text, number, hits, question=contract.question):
            case None:
                left_out.append(f"a quotation that is not in [{number}]")
            case hit, citation:
                found[citation] = hit
    stated = statements(parsed.answer, contract.form)
    if parsed.unquoted:
        sentences = (said_in(statement, contract, hits) for statement in stated)
        found = {_citation(one.hit.passage, one.span): one.hit for one in sentences if one is not None}
    kept: list[tuple[str, Claim]] = []
    for statement in stated:
        claim = _claim(statement, contract, found)
        if claim is None:
            left_out.append("a statement that no quotation carries")
        else:
            kept.append((statement.text, claim))
    answer = ("; " if contract.form == "list" else " ").join(text for text, _ in kept) or None
    why = "; ".join([UNQUOTED] * parsed.unquoted + [f"left out: {', '.join(left_out)}"] * bool(left_out))
    return Cited(answer, tuple(claim for _, claim in kept), why if answer else why or "nothing verifies")


def _claim(statement: Statement, contract: Contract, found: dict[Citation, Hit]) -> Claim | None:
    """Return a statement with the one citation that carries it best, else with all of them where only all together do."""
    weighed = [
        (carried(statement, contract, [_read(citation, hit)], headings=_headings(hit)), citation)
        for citation, hit in found.items()
    ]
    support, best = max(weighed, key=lambda pair: pair[0] or -1.0, default=(None, None))
    if support is not None and best is not None:
        return Claim(text=statement.text, citations=(best,), support=support)
    if len(found) < _SEVERAL:
        return None
    headings = "\n".join(map(_headings, found.values()))
    together = carried(statement, contract, [_read(*one) for one in found.items()], headings=headings)
    return None if together is None else Claim(text=statement.text, citations=tuple(found), support=together)


def _read(citation: Citation, hit: Hit) -> str:
    return as_english(citation.quote, hit.source.language)


def _headings(hit: Hit) -> str:
    return "\n".join((hit.source.title, *hit.passage.section))


class Folded(NamedTuple):
    """Letters and digits of a text as they are compared; character i came from the code point at ``places[i]``."""

    text: str
    places: tuple[int, ...]


def fold(text: str) -> Folded:
    """Return `text` without case, punctuation, spaces and hyphens. A separator between two digits stays: 1.5 is not 15."""
    letters: list[str] = []
    places: list[int] = []
    for place, char in enumerate(text):
        if unicodedata.category(char)[0] in "LMN":
            folded = unicodedata.normalize("NFKC", char).casefold()
        elif char in ".,:/" and text[place - 1 : place].isdigit() and text[place + 1 : place + 2].isdigit():
            folded = char
        else:
            continue
        letters.extend(folded)
        places.extend([place] * len(folded))
    return Folded("".join(letters), tuple(places))


def locate(quote: str, passage: Passage) -> Span | None:
    """Return the span, in the revision's text, of the sentences of `passage` that hold `quote`; None where none do."""
    wanted = unicodedata.normalize("NFC", quote).strip()
    if not wanted or len(wanted) > _LONGEST:
        return None
    found = _exact(wanted, passage.text) or _folded(wanted, passage.text)
    found = found or _near(wanted, passage) or _near_part(wanted, passage)
    return None if found is None else _whole_sentences(found, passage)


def quoted(quote: str, number: int, hits: tuple[Hit, ...], *, question: str = "") -> tuple[Hit, Citation] | None:
    """Return the passage that holds a quotation and the citation of it; `number` is the passage the model named, from 1.

    A quotation that stands word for word in another passage than the named one is cited from where it stands. Text of a
    passage that is written as a reply, with a quotation and an answer of its own, is none; nor is an order what to say,
    unless the question asks for that.
    """
    found = _quoted(quote, number, hits)
    if found is None or _REPLY.search(found[1].quote) or not states(question, found[1].quote):
        return None
    return found


def _quoted(quote: str, number: int, hits: tuple[Hit, ...]) -> tuple[Hit, Citation] | None:
    named = hits[number - 1]
    span = locate(quote, named.passage)
    if span is not None:
        return named, _citation(named.passage, span)
    wanted = unicodedata.normalize("NFC", quote).strip()
    for hit in hits:
        found = _exact(wanted, hit.passage.text) if len(fold(wanted).text) >= _SHORT else None
        if found is not None:
            return hit, _citation(hit.passage, _whole_sentences(found, hit.passage))
    return None


def verify(citation: Citation, passage: Passage) -> bool:
    """Say whether a citation names this passage and revision, and its quote stands at its span with its digest."""
    return (
        citation.passage == passage.id
        and citation.revision_id == passage.revision_id
        and passage.start <= citation.start < citation.end <= passage.end
        and passage.quote(Span(citation.start, citation.end)) == citation.quote
        and text_digest(citation.quote) == citation.digest
    )


def _citation(passage: Passage, span: Span) -> Citation:
    return Citation.of(
        document=passage.document,
        revision=passage.revision,
        passage=passage.id,
        span=span,
        quote=passage.quote(span),
    )


def _exact(wanted: str, text: str) -> Span | None:
    """Return where `wanted` stands in `text` word for word; a short one only where it stands once."""
    start = text.find(wanted)
    while start >= 0:
        end = start + len(wanted)
        if _whole_words(text, start, end):
            again = text.find(wanted, start + 1) >= 0
            return None if again and len(fold(wanted).text) < _SHORT else Span(start, end)
        start = text.find(wanted, start + 1)
    return None


def _folded(wanted: str, text: str) -> Span | None:
    """Return where `wanted` stands in `text` when case, punctuation, spaces and hyphens are left out."""
    needle, held = fold(wanted).text, fold(text)
    if not needle:
        return None
    places: list[Span] = []
    at = held.text.find(needle)
    while at >= 0:
        start, end = held.places[at], held.places[at + len(needle) - 1] + 1
        if _whole_words(text, start, end):
            places.append(Span(start, end))
        at = held.text.find(needle, at + 1)
    if len(places) > 1 and len(needle) < _SHORT:
        return None
    return places[0] if places else None


def _near(wanted: str, passage: Passage) -> Span | None:
    """Return the run of sentences that agrees with `wanted` up to `NEAR`, numbers and negations exactly; the best one."""
    needle = fold(wanted).text
    if len(needle) < _SHORT:
        return None
    numbers, denies = _DIGITS.findall(wanted), negated(wanted)
    best, best_ratio = None, NEAR
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(needle)
    for span in _runs(passage, len(needle)):
        text = passage.text[span.start : span.end]
        if _DIGITS.findall(text) != numbers or negated(text) != denies:
            continue
        matcher.set_seq1(fold(text).text)
        if matcher.real_quick_ratio() >= best_ratio and matcher.quick_ratio() >= best_ratio:
            ratio = matcher.ratio()
            if ratio > best_ratio or (best is None and ratio >= best_ratio):
                best, best_ratio = span, ratio
    return best


def _near_part(wanted: str, passage: Passage) -> Span | None:
    """Return the part of a sentence that agrees with `wanted` up to `NEAR`, laid along their longest common stretch.

    Its sentence must deny what `wanted` denies: a lost "not" is no small difference.
    """
    text = passage.text
    needle, held = fold(wanted).text, fold(text)
    if not _SHORT <= len(needle) <= len(held.text):
        return None
    common = SequenceMatcher(None, held.text, needle, autojunk=False).find_longest_match()
    first = max(0, min(common.a - common.b, len(held.text) - len(needle)))
    start, end = held.places[first], held.places[first + len(needle) - 1] + 1
    part = text[start:end]
    sentences = passage.quote(_whole_sentences(Span(start, end), passage))
    same = _DIGITS.findall(part) == _DIGITS.findall(wanted) and negated(sentences) == negated(wanted)
    ratio = SequenceMatcher(None, fold(part).text, needle, autojunk=False).ratio() if same else 0.0
    return Span(start, end) if ratio >= NEAR else None


def _runs(passage: Passage, length: int) -> list[Span]:
    """Return the runs of neighbouring sentences, as offsets into the passage, that are near a folded length."""
    sentences = [Span(span.start - passage.start, span.end - passage.start) for span in passage.sentences]
    runs: list[Span] = []
    for first, opening in enumerate(sentences):
        for closing in sentences[first:]:
            size = len(fold(passage.text[opening.start : closing.end]).text)
            if size > length / NEAR + 1:
                break
            if size >= length * (2 * NEAR - 1):
                runs.append(Span(opening.start, closing.end))
    return runs


def _whole_words(text: str, start: int, end: int) -> bool:
    """Say whether a stretch neither begins nor ends inside a word or a number; scripts without case have no such edge."""
    return not (
        _joined(text[start - 1 : start], text[start : start + 1]) or _joined(text[end - 1 : end], text[end : end + 1])
    )


def _joined(left: str, right: str) -> bool:
    return bool(left and right) and all(char.isdigit() or char.lower() != char.upper() for char in (left, right))


def _whole_sentences(found: Span, passage: Passage) -> Span:
    """Return the span, in the revision's text, of the sentences that a stretch of the passage touches.

    Whole ones, so that a model cannot leave out the "not" at the beginning.
    """
    start, end = found.start + passage.start, found.end + passage.start
    touched = [span for span in passage.sentences if span.start < end and start < span.end]
    return Span(min([start, *(span.start for span in touched)]), max([end, *(span.end for span in touched)]))
