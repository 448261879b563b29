"""What of a trace its asker may see."""

import json
import re
from datetime import UTC, datetime

import pytest

from remit.access.scope import Scope
from remit.answer.draft import Citation, Claim, Draft
from remit.contract.value import text_digest
from remit.corpus.document import Passage, Revision, Snapshot, Span
from remit.decide.decision import Action, Decision
from remit.errors import NothingThere
from remit.record.disclose import MASK, read
from remit.record.journal import Journal
from remit.record.trace import Trace
from remit.repair.planner import Repaired, StepRecord
from remit.rerank.ranking import Ranking
from remit.retrieve.retriever import Candidates, Hit, SetAside
from remit.settle.outcome import Outcome

NOW = datetime(2026, 11, 30, tzinfo=UTC)
SCOPE = Scope(principal="mara", labels=frozenset({"maintenance"}), policy="test")
ANSWER = Decision(action=Action.ANSWER, reason="supported", rule=4, point="sha256:0")
DENY = Decision(action=Action.DENY, reason="nothing_readable", rule=1, queue="access_requests", point="sha256:0")
ABSTAIN = Decision(action=Action.ABSTAIN, reason="not_answerable_from_readable", rule=6, point="sha256:0")


class Texts:
    """A corpus that opens the given revisions to everyone."""

    def __init__(self, *readable):
        self.readable = readable

    def text(self, revision, scope):
        """Return some text of a readable revision."""
        return "text" if revision in self.readable else None


def hit(document, revision, text):
    """Return a hit on the only passage of a revision."""
    source = Revision(
        document=document,
        revision=revision,
        title=f"Title of {document}",
        collection="c",
        labels=frozenset({"maintenance"}),
        digest="sha256:1",
        recorded_at=NOW,
    )
    passage = Passage(
        id=f"{document}@{revision}#0",
        document=document,
        revision=revision,
        ordinal=0,
        section=(f"Section of {document}",),
        start=0,
        end=len(text),
        text=text,
        sentences=(Span(0, len(text)),),
    )
    return Hit(passage=passage, source=source, score=0.5)


def citation(found):
    """Return a citation of all of a hit."""
    passage = found.passage
    span = Span(0, len(passage.text))
    return Citation.of(
        document=passage.document, revision=passage.revision, passage=passage.id, span=span, quote=passage.text
    )


OPEN, SHUT = hit("PR-1", "2", "Twelve months."), hit("HR-7", "1", "Nine weeks of pay.")


def journal_with(tmp_path, *values, keep_text=True):
    """Return a journal that holds one trace of Mara's with these values."""
    trace = Trace("t1", keep_text=keep_text)
    for value in values:
        trace.note(value)
    journal = Journal(tmp_path / "journal.db")
    journal.open("t1", asker="mara", question="How long?", at=NOW)
    journal.close("t1", entries=trace.entries, decision=None, at=NOW)
    return journal


@pytest.fixture
def answered(tmp_path):
    """The trace of an answer that rests on a hidden and an open passage, with text kept."""
    snapshot = Snapshot(number=1, digest="sha256:2")
    aside = (SetAside(passage="HR-7@0#0", revision="HR-7@0", reason="superseded"),)
    claims = tuple(Claim(text=h.passage.text, citations=(citation(h),), support=0.9) for h in (OPEN, SHUT))
    draft = Draft(answer="Nine weeks of pay", claims=claims, method="m", why="from HR-7@1#0")
    step = StepRecord(name="r", operation="Retrieval", inputs=("HR-7 pay",), outputs=("HR-7@1#0", "PR-1@2#0"))
    repaired = Repaired(
        ranking=Ranking(hits=(SHUT,), policy="p", reason="r"),
        draft=draft,
        steps=(step,),
        gained=("HR-7@1#0",),
        accepted=True,
        why="w",
    )
    journal = journal_with(
        tmp_path,
        Candidates(hits=(OPEN, SHUT), set_aside=aside, readable=2, visible=2, snapshot=snapshot),
        repaired,
        Outcome(decision=ANSWER, shown=ANSWER, message="m", answer="Nine weeks of pay", citations=draft.citations),
    )
    yield journal
    journal.shut()


def test_the_operator_sees_all(answered):
    """Without a scope a trace reads as recorded: file access is the operator's right."""
    assert answered.read("t1") == read(answered, "t1", scope=None, corpus=Texts())


def test_what_the_asker_may_still_read_stays(answered):
    """While every revision is still open to its asker, nothing is masked but how often the store was written to."""
    seen = read(answered, "t1", scope=SCOPE, corpus=Texts("PR-1@2", "HR-7@1", "HR-7@0"))
    said, whole = (json.dumps([e.data for e in one]) for one in (seen.entries, answered.read("t1").entries))
    assert re.sub(r'"number": \d+', f'"number": "{MASK}"', whole) == said


def test_what_is_no_longer_readable_is_masked_everywhere(answered):
    """Ids, titles, headings, quotes, and the answer that rests on them are gone; what is still open stays."""
    seen = read(answered, "t1", scope=SCOPE, corpus=Texts("PR-1@2"))
    said = json.dumps([entry.data for entry in seen.entries])
    assert [] == [word for word in ("HR-7", "Nine weeks", text_digest("Nine weeks of pay.")) if word in said]
    assert MASK in said
    assert "PR-1@2#0" in said
    assert "Title of PR-1" in said


def test_the_document_stays_where_another_revision_is_open(answered):
    """Losing one revision hides that revision, not that the document exists."""
    said = str(read(answered, "t1", scope=SCOPE, corpus=Texts("PR-1@2", "HR-7@0")).entries)
    assert "HR-7@0#0" in said
    assert "HR-7@1" not in said


def test_somebody_elses_trace_is_not_there(answered):
    """An asker cannot tell another's trace from one that does not exist."""
    other = SCOPE.model_copy(update={"principal": "theo"})
    with pytest.raises(NothingThere) as theirs:
        read(answered, "t1", scope=other, corpus=Texts("PR-1@2"))
    with pytest.raises(NothingThere) as nobodys:
        read(answered, "t2", scope=SCOPE, corpus=Texts("PR-1@2"))
    assert str(theirs.value).replace("t1", "t2") == str(nobodys.value)


def test_a_closed_outcome_shows_its_asker_only_its_words(tmp_path):
    """The true decision, the readings and the counts stay with the operators; the shown decision is what is seen."""
    outcome = Outcome(decision=DENY, shown=ABSTAIN, message="m", closed=True)
    found = Candidates(hits=(), readable=0, visible=0, snapshot=Snapshot(number=1, digest="sha256:2"))
    journal = journal_with(tmp_path, found, DENY, outcome)
    seen = read(journal, "t1", scope=SCOPE, corpus=Texts())
    assert ["Outcome"] == [entry.kind for entry in seen.entries]
    assert "abstain" == seen.entries[0].data["decision"]["action"]
    assert ["Candidates", "Decision", "Outcome"] == [
        e.kind for e in read(journal, "t1", scope=None, corpus=Texts()).entries
    ]
    journal.shut()


def test_a_trace_without_an_outcome_stays_closed(tmp_path):
    """Where the ask was killed it is not known what the asker may learn, so they learn nothing."""
    journal = journal_with(tmp_path, DENY)
    assert () == read(journal, "t1", scope=SCOPE, corpus=Texts()).entries
    journal.shut()


def test_without_being_told_to_the_trace_holds_no_text(tmp_path):
    """Document text is written as digests unless the store keeps text."""
    draft = Draft(
        answer="Nine weeks",
        claims=(Claim(text="Nine weeks of pay.", citations=(citation(SHUT),), support=1),),
        method="m",
    )
    ranking = Ranking(hits=(SHUT,), policy="p", reason="r")
    journal = journal_with(tmp_path, ranking, draft, keep_text=False)
    assert "Nine weeks" not in str(journal.read("t1").entries)
    journal.shut()


def test_what_a_readable_revision_says_of_others_is_masked(tmp_path):
    """A hidden revision that a readable one replaces, and labels that the asker does not hold, are not told."""
    found = hit("PR-1", "2", "The seal.")
    source = found.source.model_copy(
        update={"supersedes": ("HID-9@7", "PR-1@1"), "labels": frozenset({"maintenance", "board"})}
    )
    candidates = Candidates(
        hits=(
            found._replace(source=source)
            if hasattr(found, "_replace")
            else found.model_copy(update={"source": source}),
        ),
        set_aside=(),
        readable=1,
        visible=1,
        snapshot=Snapshot(number=1, digest="sha256:2"),
    )
    outcome = Outcome(decision=ANSWER, shown=ANSWER, message="m", answer="a", citations=())
    journal = journal_with(tmp_path, candidates, outcome)
    shown = read(journal, "t1", scope=SCOPE, corpus=Texts("PR-1@2", "PR-1@1"))
    journal.shut()
    text = json.dumps([entry.data for entry in shown.entries])
    assert "HID-9" not in text
    assert "board" not in text
    assert "PR-1@1" in text
    assert "maintenance" in text
