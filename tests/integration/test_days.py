"""A day or a year that a question speaks of: what began to hold later, or ends before, does not answer it."""

import pytest
from small_store import MARA, NOW

from remit import Remit

pytestmark = pytest.mark.integration

HEAD = "---\ndocument: TQ-1\nrevision: '{revision}'\ntitle: Torque of the cover bolts\nlabels: [maintenance]\nvalid_from: {begins}\n{more}authority: authoritative\n---\n"
TEXT = "# Torque of the cover bolts\n\nThe cover bolts of pump P-7 are tightened to {torque} Nm.\n"
REPORT = (
    "---\ndocument: IR-9\ntitle: Leak at pump P-7\nlabels: [maintenance]\nstatus: current\nvalid_from: 2026-03-09\n---\n"
    "# Leak at pump P-7\n\nOn 2026-03-02 the seal of pump P-7 leaked 12 litres of oil.\n"
)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """Return a store with three revisions of a torque, one still to come, and a report of what happened before it was written."""
    folder = tmp_path_factory.mktemp("days")
    texts = folder / "texts"
    texts.mkdir()
    old = HEAD.format(revision="1", begins="2025-01-01", more="status: superseded\nvalid_to: 2026-01-01\n")
    new = HEAD.format(revision="2", begins="2026-01-01", more="status: current\nsupersedes: [TQ-1@1]\n")
    (texts / "old.md").write_text(old + TEXT.format(torque=40))
    (texts / "new.md").write_text(new + TEXT.format(torque=45))
    next_ = HEAD.format(revision="3", begins="2028-02-01", more="status: current\nsupersedes: [TQ-1@2]\n")
    (texts / "next.md").write_text(next_ + TEXT.format(torque=50))
    (texts / "report.md").write_text(REPORT)
    with Remit.open(folder / "store", environ={}, make=True, now=lambda: NOW) as remit:
        assert [] == list(remit.ingest([texts]).rejected)
    return folder / "store"


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How tight are the cover bolts of pump P-7?", "45 Nm"),
        ("How tight were the cover bolts of pump P-7 as of 2025-06-01?", "40 Nm"),
        ("How tight were the cover bolts of pump P-7 on 2025-06-01?", None),
        ("How tight were the cover bolts of pump P-7 on 1 June 2025?", None),
        ("How tight were the cover bolts of pump P-7 in 2024?", None),
        ("How tight are the cover bolts of pump P-7 in 2026?", "45 Nm"),
        ("How tight will the cover bolts of pump P-7 be from March 2028?", None),
        ("How much oil leaked from the seal of pump P-7 on 2026-03-02?", "12 litres"),
    ],
)
def test_what_began_later_does_not_answer_for_a_day_before(store, question, answer):
    """Today's value is never given for a day before it held; a later report still tells what happened on the day."""
    with Remit.open(store, environ={}, now=lambda: NOW) as remit:
        done = remit.ask(question, principal=MARA)
    assert answer == (done.outcome.answer and done.outcome.answer.removesuffix(" of oil"))
