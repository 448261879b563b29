"""Rows of a table that a question names by their cells: a row that holds some of the names and not the others is another row. Pure."""

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


def _names(question: str, cell: str) -> bool:
    telling = len(cell) >= _SHORTEST and any(char.isalpha() for char in cell) and cell not in _NO_NAME
    return telling and re.search(rf"(?<![\w/-]){re.escape(cell)}(?![\w/-])", question) is not None


def _fold(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
