"""The script that scores the sample corpus notices a leak, an unverified citation and a wrong answer."""

from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

import pytest

pytestmark = pytest.mark.integration

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "score_examples"


@pytest.fixture(scope="module")
def score():
    """The script, loaded as a module."""
    loader = SourceFileLoader("score_examples", str(SCRIPT))
    module = module_from_spec(spec_from_loader("score_examples", loader))
    loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def truth(score, ingested):
    """What the small store holds, read past all access checks."""
    return score.Truth(ingested)


def test_what_others_may_read_is_a_secret(truth):
    """Ids and telling sentences of unreadable documents are secrets; those of readable ones are not."""
    secrets = truth.secrets(("maintenance",), "")
    assert {"LV-9", "LV-9@1", "HR-9", "HR-9@1"} <= {*secrets}
    assert "whoever becomes a parent may take nine weeks of paid leave." in secrets
    assert [] == [secret for secret in secrets if "PR-1" in secret or "pump" in secret]


def test_what_the_asker_said_is_no_secret(truth):
    """A name that stands in the question may stand in the reply."""
    assert "LV-9" not in truth.secrets(("maintenance",), "What does LV-9 say?")


@pytest.mark.parametrize(
    ("said", "leaks"),
    [
        ("see LV-9@1#0 for more", True),
        ("Whoever becomes a parent  may take nine weeks of paid leave. So", True),
        ("LV-90", False),
    ],
)
def test_a_secret_is_found_wherever_it_stands(score, truth, said, leaks):
    """Inside a passage id, across other white space; but not as the beginning of another name."""
    said = score.squeezed(" ".join(score.strings({"a": [{"b": said}]})))
    assert leaks == any(score.occurs(secret, said) for secret in truth.secrets(("maintenance",), ""))


@pytest.mark.parametrize(
    ("answer", "golden", "grade"),
    [
        ("2,500 hours.", ["2500 hours"], "exact"),
        ("The shift engineer", ["shift engineer"], "exact"),
        ("every 12 months", ["12 months"], "contained"),
        ("112 months", ["12 months"], "wrong"),
        (None, ["12 months"], "wrong"),
    ],
)
def test_answers_are_graded(score, answer, golden, grade):
    """Case, commas and articles do not count; a number inside another is not the number."""
    assert grade == score.graded(answer, golden)
