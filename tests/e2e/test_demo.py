"""`remit demo` shows what it says it shows, and the README shows what it printed."""

import re
from pathlib import Path

import pytest

pytestmark = [pytest.mark.e2e, pytest.mark.slow]

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def demo(run, tmp_path_factory):
    """What the demo printed, and the store it kept."""
    store = tmp_path_factory.mktemp("demo") / "store"
    return run("demo", "--keep", store, cwd=ROOT), store


def lasting(text):
    """Return text without ids and figures that differ from run to run, on one line."""
    return re.sub(r"\(relevance [^)]*\)|trace [0-9a-f-]{36}", "", " ".join(text.split()))


def test_each_question_ends_as_it_is_there_to_show(demo):
    """Six questions, six decisions, exit code 0."""
    done, store = demo
    assert 0 == done.code, done.out
    assert "6 of 6 questions ended as they are there to show" in done.out
    assert max(len(line) for line in done.out.splitlines() if str(store) not in line) <= 80


def test_the_transcript_of_the_readme_is_real(demo):
    """Each question that the README shows reads there as the demo printed it."""
    done, _ = demo
    shown = re.search(r"^```console\n(.*?)^```", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE | re.DOTALL)[1]
    parts = [part for part in re.split(r"^(?=\d\. )", shown, flags=re.MULTILINE) if part.strip()]
    assert len(parts) >= 3
    assert [] == [part for part in parts if lasting(part) not in lasting(done.out)]


def test_changing_a_document_changes_the_outcome(demo, run):
    """Nothing is staged: without the document that the first answer cites, it is answered so no more."""
    done, store = demo
    question = re.search(r"^question (.*)$", done.out, re.MULTILINE)[1]
    ask = ("ask", question, "--store", store, "--as", "mara:maintenance", "--as-of", "2026-11-30", "--json")
    before = run(*ask).json
    assert "answer" == before["decision"]
    cited = before["citations"][0]
    assert 0 == run("delete", cited["document"], "--store", store, "--yes").code
    after = run(*ask).json
    assert cited["document"] not in [citation["document"] for citation in after["citations"]]
    assert before["answer"] != after["answer"]


def test_a_store_that_cannot_be_made_is_an_error(run, tmp_path):
    """A demo directory that cannot be made is an error with an exit code, not a traceback."""
    (tmp_path / "file").write_text("")
    done = run("demo", "--keep", tmp_path / "file", cwd=ROOT)
    assert done.code in (2, 5)
    assert "Traceback" not in done.err
