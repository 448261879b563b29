"""The real question sets beside a checkout are read whole; without them these tests do not run."""

from pathlib import Path

import pytest

from remit.cases.formats.table import load
from remit.cases.split import folds, leaks

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"
SETS = sorted(path.parent.name for path in DATA.glob("*/dev.jsonl")) or ["none"]

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(not DATA.is_dir(), reason="no shared/data beside this checkout"),
]


@pytest.mark.parametrize("name", SETS)
def test_every_line_is_read(name):
    """Each line becomes a question with what it is asked of; gold texts are there."""
    path = DATA / name / "dev.jsonl"
    loaded = load(path, "flashrag")
    assert len(path.read_text(encoding="utf-8").splitlines()) == len(loaded.questions)
    known = {text.id for text in loaded.texts}
    assert not known or all(known >= set(question.gold) for question in loaded.questions)


@pytest.mark.parametrize("name", SETS)
def test_cross_fitting_leaks_nothing(name):
    """Folds made of a real set share no group and no near-duplicate."""
    questions = load(DATA / name / "dev.jsonl", "flashrag").questions
    parts = folds(questions, 5, seed=7)
    assert () == leaks({str(at): [one for one in questions if one.id in set(ids)] for at, ids in enumerate(parts)})
