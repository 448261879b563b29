"""Runs are read as trec_eval orders them."""

import pytest

from remit.cases.formats.trec import read_run
from remit.errors import InvalidInput


def test_a_run_is_ordered_by_score(tmp_path):
    """The score decides, not the rank that is written; of equal scores the larger id comes first."""
    (tmp_path / "run").write_text("1 Q0 a 1 0.5 t\n1 Q0 b 2 0.9 t\n1 Q0 c 3 0.5 t\n")
    assert ["b", "c", "a"] == [ranked.text for ranked in read_run(tmp_path / "run")["1"]]


@pytest.mark.parametrize(
    ("text", "line", "field"),
    [
        ("1 Q0 a 1 0.5\n", 1, None),
        ("1 Q0 a 1 0.5 t\n1 Q0 a 2 0.4 t\n", 2, "document"),
        ("1 Q0 a one 0.5 t\n", 1, "rank or score"),
        ("1 Q0 a 1 nan t\n", 1, "score"),
    ],
)
def test_a_fault_names_its_line(tmp_path, text, line, field):
    """A line that cannot be ordered is named."""
    (tmp_path / "run").write_text(text)
    with pytest.raises(InvalidInput) as caught:
        read_run(tmp_path / "run")
    assert (line, field) == (caught.value.faults[0].line, caught.value.faults[0].field)
