"""Invariant 5: whatever happened to the corpus since, what is released stands in it, inside the scope, at its span."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from shelf import NOW, TODAY, new, scope_of
from written import asked

from remit.answer.draft import Citation, Claim, Draft
from remit.corpus.document import Span
from remit.decide.decision import Action, Decision
from remit.observe.observation import Observation, Unmeasured
from remit.settle.settle import Settlement

CONTRACT = asked("How long is the seal flushed?")
SUPPORTED = Decision(action=Action.ANSWER, reason="supported", rule=4, point="t")
LINES = st.lists(st.sampled_from(["Ten minutes.", "故乡 é", "Flush 🙂 twice."]), min_size=1, max_size=3).map("\n".join)
DOCUMENT = st.fixed_dictionaries(
    {"text": LINES, "labels": st.sets(st.sampled_from("ab")), "status": st.sampled_from(["current", None, "withdrawn"])}
)
CHANGES = ("nothing", "delete", "other labels", "withdraw", "supersede", "a later one")
UNREAD = {
    name: Unmeasured(reason="not read here") for name in Observation.model_fields if name not in {"kind", "version"}
}


def citation(revision, at, length):
    """Cite a stretch of a passage of this revision."""
    passage = revision.passages[at % len(revision.passages)]
    span = Span(passage.start, passage.start + 1 + length % len(passage.text))
    return Citation.of(
        document=passage.document,
        revision=passage.revision,
        passage=passage.id,
        span=span,
        quote=revision.text[span.start : span.end],
    )


def change(corpus, revision, what):
    """Let something happen to a document after it was cited."""
    source = revision.revision
    if what == "delete":
        corpus.delete(source.document, now=NOW)
    elif what in {"other labels", "withdraw"}:
        said = {"labels": frozenset("c")} if what == "other labels" else {"status": "withdrawn"}
        corpus.put(revision._replace(revision=source.model_copy(update=said)), now=NOW)
    elif what in {"supersede", "a later one"}:
        replaced = (source.id,) if what == "supersede" else ()
        corpus.put(new(source.document, "2", "Twelve.", labels=["c"], valid_from=TODAY, supersedes=replaced), now=NOW)


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(DOCUMENT, st.sets(st.sampled_from("ab")), st.sampled_from(CHANGES), st.integers(0, 9), st.integers(0, 99))
def test_an_answer_stands_only_while_its_citation_does(shelves, document, held, what, at, length):
    """Released exactly where the asker may read the revision, it holds, and nothing has taken it away since."""
    revision, scope = new("D", "1", **document), scope_of(*held)
    cited = citation(revision, at, length)
    claim = Claim(text=cited.quote, citations=(cited,), support=1.0)
    draft = Draft(answer=cited.quote, claims=(claim,), confidence=1.0, method="t")
    with shelves(revision) as (_, corpus):
        change(corpus, revision, what)
        out = Settlement(corpus)(SUPPORTED, CONTRACT, scope, Observation(**UNREAD), draft)
        stands = bool(held & document["labels"]) and document["status"] != "withdrawn"
        assert (stands and what in {"nothing", "a later one"}) == (out.decision.action is Action.ANSWER)
        assert (out.decision.action is Action.ANSWER) == bool(out.citations)
        for one in out.citations:
            text = corpus.text(one.revision_id, scope)
            assert one.quote == text[one.start : one.end]
