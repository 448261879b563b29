"""Rows of a table that a question names by their cells: a row that holds some of the names and not the others is another row. Pure.

So is any one row where the question asks which of them has the most: a row does not say what stands in the others.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Final

from remit.answer.applies import cells
from remit.contract.contract import Contract
from remit.contract.stopwords import GENERIC, STOPWORDS
from remit.rerank.ranking import Ranking
from remit.retrieve.retriever import Hit

Columns = Mapping[str, Mapping[str, frozenset[str]]]
"""For each revision that has a table in a ranking, the cells of each column."""

_SHORTEST: Final = 3
_WHICH: Final = re.compile(r"\b(?:which|what|who|whose|where|welche\w*|wer|quel\w*|qui)\b")
_MOST: Final = re.compile(
    r"(?<!\bat )(?<!\bat the )\b(?P<word>most|least|fewest|(?:high|low|larg|small|bigg|long|short|old|new|young|heavi|light|fast|slow|cheap|deep|wid|tall|great"
    r"|hott|cold|strong|weak|busi|near|far|furth|earli)e?st|meisten|wenigsten|(?:höch|größ|älte|neue|läng|kürze|schwer|teuer|billig)\w*ste[nrs]?"
    r"|(?:le|la|les) (?:plus|moins))\b"
)
"""What asks for one thing out of several by comparing them; "at most" and "at the earliest" set bounds."""
_SAYS_MOST: Final = re.compile(r"\b(?:max|min|record|first|top)\w*")
_NO_NAME: Final = STOPWORDS["en"] | GENERIC | {"yes", "none", "other", "all"}


def columns_of(ranking: Ranking) -> Columns:
    """Return the cells of the tables in a ranking, by revision and column, as they are compared."""
    found: dict[str, dict[str, set[str]]] = {}
    for hit in ranking.hits:
        if hit.passage.kind == "table":
            columns = found.setdefault(hit.passage.revision_id, {})
            for span in hit.passage.sentences:
                for column, value in cells(hit.passage.quote(span)).items():
                    columns.setdefault(column, set()).add(_fold(value))
    return {id: {column: frozenset(values) for column, values in columns.items()} for id, columns in found.items()}


def another_row(contract: Contract, hit: Hit, row: str, columns: Columns) -> bool:
    """Say whether the question names a cell of this row's column that stands in another row, and not this row's own.

    A yes or no is asked of a row that may well hold something else.
    """
    if hit.passage.kind != "table" or contract.form == "boolean":
        return False
    question = _fold(contract.question)
    for column, value in cells(row).items():
        named = {other for other in columns.get(hit.passage.revision_id, {}).get(column, ()) if _names(question, other)}
        if named and _fold(value) not in named:
            return True
    return False


def one_of_many(contract: Contract, hit: Hit, row: str, columns: Columns) -> bool:
    """Say whether the question asks which of several rows has the most of something, which this row alone cannot say.

    It can where it is the one row that the question names, or says itself that it is the highest.
    """
    question = _fold(contract.question)
    most = _MOST.search(question)
    if hit.passage.kind != "table" or contract.form == "boolean" or most is None or not _WHICH.search(question):
        return False
    held, said = columns.get(hit.passage.revision_id, {}), _fold(row)
    several = any(len(values) > 1 for values in held.values())
    named = any(_names(question, _fold(value)) for value in cells(row).values())
    return several and not named and most["word"] not in said and not _SAYS_MOST.search(said)


def _names(question: str, cell: str) -> bool:
    telling = len(cell) >= _SHORTEST and any(char.isalpha() for char in cell) and cell not in _NO_NAME
    return telling and re.search(rf"(?<![\w/-]){re.escape(cell)}(?![\w/-])", question) is not None


def _fold(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
