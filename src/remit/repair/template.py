"""The corrective protocol's actions as a planner: fixed plans, each with a precondition and the evidence it should bring."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from remit.contract.budget import Budget
from remit.decide.point import OperatingPoint
from remit.decide.proposal import Proposal
from remit.llm.cancel import Patience
from remit.observe.observation import CitationCheck, Relevance, Validity
from remit.repair.decompose import parts_of
from remit.repair.hops import hop_of, makers_of
from remit.repair.lacking import Lack, holds_all, lack_of
from remit.repair.ops import DecomposeQuery, GenerateAnswer, Operation, Ref, Retrieval, RewriteQuery
from remit.repair.plan import FINAL, Plan, Step
from remit.repair.planner import Planned, State
from remit.repair.widen import widenings

NAME: Final = "template/1"
_TOPK: Final = 10
_TOPK_PART, _TOPK_NAMED = 7, 3
_TOP: Final = 3
_QUESTION, _IN_USE = Ref("question"), Ref("doc_list")
_AGAIN: Final = "Name what the question asks for, in the words of the passages."


class Offer(NamedTuple):
    """An action whose precondition holds, its plan and the evidence it should bring."""

    action: str
    plan: Plan
    expects: str


Action = Callable[[State, Lack], Iterator[Offer]]
"""One of the protocol's actions: its offers where its precondition holds."""


class TemplatePlanner:
    """Offers the first action that applies and has not run yet. It calls no model and looks nothing up."""

    name = NAME

    def __init__(self, point: OperatingPoint | None = None, actions: tuple[Action, ...] | None = None) -> None:
        """Take the operating point below whose thresholds a reading counts as lacking, and the actions; all unless told."""
        self._point = point or OperatingPoint()
        self._actions = ACTIONS if actions is None else actions

    def propose(self, state: State, budget: Budget, tried: frozenset[str], patience: Patience) -> Planned:
        """Return the first plan not in `tried`; the first of all, marked as repeated, where only tried ones are left."""
        repeated: Planned | None = None
        for offer in self._offers(state):
            planned = self._planned(offer, state, tried)
            if not planned.proposal.repeated:
                return planned
            repeated = repeated or planned
        return repeated or Planned(Proposal(plan=None, policy=self.name), None)

    def _offers(self, state: State) -> Iterator[Offer]:
        """Yield what applies, in the order of the protocol: mend validity, complete, reword, widen, take apart."""
        lack = lack_of(state, self._point)
        for action in self._actions:
            yield from action(state, lack)

    def _planned(self, offer: Offer, state: State, tried: frozenset[str]) -> Planned:
        in_use = tuple(hit.passage.id for hit in state.ranking.hits)
        fingerprint = offer.plan.fingerprint(in_use, state.snapshot.digest)
        # An accepted plan changes the passages in use and with them every fingerprint; its own text still tells it.
        repeated = fingerprint in tried or offer.plan.text == state.ranking.reason
        proposal = Proposal(
            plan=offer.plan.text,
            fingerprint=fingerprint,
            repeated=repeated,
            action=offer.action,
            expects=offer.expects,
            policy=self.name,
        )
        return Planned(proposal, offer.plan)


def _current_revision(state: State, lack: Lack) -> Iterator[Offer]:
    """Ask for the current revision where the draft rests on one that does not hold, or of which that is not known."""
    faults = state.seen.validity.faults if isinstance(state.seen.validity, Validity) else ()
    documents = dict.fromkeys(f.revision.rpartition("@")[0] for f in faults if f.reason != "other-applicability")
    wanted = state.contract.wanted
    if documents and not wanted.historical and wanted.named is None:
        # What was in use stays out: it holds the revision at fault, which may well read better than its replacement.
        search = Retrieval(_QUESTION, _TOPK, revision="current")
        plan = _plan(("docs", search), ("answer", GenerateAnswer(_QUESTION, Ref("docs"))))
        yield Offer("current_revision", plan, f"the current revision of {', '.join(documents)}")


def _answer_again(state: State, lack: Lack) -> Iterator[Offer]:
    """Answer again where one passage holds all and the draft names none of it: RePAIR's figure 1.

    Only a model can answer the same passages in another way; an answerer that quotes has weighed them all.
    """
    if not state.draft.cost.model_calls:
        return
    cited = {citation.passage for citation in state.draft.citations}
    full = [n for n, hit in enumerate(state.ranking.hits) if holds_all(hit, state.contract)]
    if (
        (lack.facts or state.draft.answer is None)
        and full
        and not any(state.ranking.hits[n].passage.id in cited for n in full)
    ):
        docs = (Ref("doc_list", full[0]), _IN_USE)
        plan = _plan(("answer", GenerateAnswer(_QUESTION, docs)))
        yield Offer("answer_again", plan, f"an answer from the passage that holds: {_about(state, lack)}")


def _parent_section(state: State, lack: Lack) -> Iterator[Offer]:
    """Look into the section above where a passage is about the question and there is more beside it."""
    if lack.facts and any(_has_siblings(state, number) for number in range(min(_TOP, state.ranking.k))):
        plan = _searching(Retrieval(_QUESTION, _TOPK, section="parent"))
        yield Offer("parent_section", plan, f"the section that holds: {_about(state, lack)}")


def _rewrite_term(state: State, lack: Lack) -> Iterator[Offer]:
    """Ask for what a word means where no passage in use has it."""
    if lack.words:
        yield _reworded(state, "clarify", f"passages that say in other words: {', '.join(lack.words)}")


def _expand_query(state: State, lack: Lack) -> Iterator[Offer]:
    """Add related words where rewording and widening brought nothing."""
    if lack.words:
        yield _reworded(state, "expand", f"passages beside those found on: {_about(state, lack)}")


def _expand_collection(state: State, lack: Lack) -> Iterator[Offer]:
    """Widen to the approved collections, a few at a time."""
    if not lack.facts:
        return
    for widening in widenings(state):
        searches = [
            (f"docs_{number}" if number > 1 else "docs", Retrieval(_QUESTION, widening.topk, collection=name))
            for number, name in enumerate(widening.collections, start=1)
        ]
        docs = (*(Ref(name) for name, _ in searches), _IN_USE)
        plan = _plan(*searches, ("answer", GenerateAnswer(_QUESTION, docs)))
        yield Offer("expand_collection", plan, f"{widening.titles} on: {_about(state, lack)}")


def _follow(state: State, lack: Lack) -> Iterator[Offer]:
    """Ask first who or what the question only describes, and look for that: the second hop, or both of a comparison."""
    if not lack.facts or state.contract.language != "en" or not state.ranking.hits:
        return
    makers, hop = makers_of(state.contract.claim), hop_of(state.contract.claim)
    if makers:
        one, two = Ref("sub", 0), Ref("sub", 1)
        plan = _plan(
            ("sub", DecomposeQuery(_QUESTION)),
            ("first", GenerateAnswer(one, _IN_USE)),
            ("docs", Retrieval(Ref("first"), _TOPK_NAMED)),
            ("second", GenerateAnswer(two, _IN_USE)),
            ("more", Retrieval(Ref("second"), _TOPK_NAMED)),
            ("answer", GenerateAnswer(_QUESTION, (Ref("docs"), Ref("more"), _IN_USE))),
        )
        yield Offer("follow", plan, f"passages on the answers to: {' '.join(makers)}")
    elif hop is not None:
        asked = Ref("sub", 1)
        plan = _plan(
            ("sub", DecomposeQuery(_QUESTION)),
            ("first", GenerateAnswer(Ref("sub", 0), _IN_USE)),
            ("docs", Retrieval(asked, _TOPK_NAMED)),
            ("answer", GenerateAnswer(asked, (Ref("docs"), _IN_USE))),
        )
        yield Offer("follow", plan, f"passages on the answer to: {hop.first}")


def _decompose(state: State, lack: Lack) -> Iterator[Offer]:
    """Take the question apart where it is several; where one part says what the other is about, follow that up."""
    parts = parts_of(state.contract.claim) if state.contract.language == "en" else None
    if not lack.facts or parts is None:
        return
    steps: list[tuple[str, Operation]] = [
        ("sub", DecomposeQuery(_QUESTION)),
        ("first", Retrieval(Ref("sub", 0), _TOPK_PART)),
    ]
    if parts.kind == "bridge":
        steps.append(("bridge", GenerateAnswer(Ref("sub", 0), Ref("first"))))
        steps.append(("followed", Retrieval(Ref("bridge"), _TOPK_PART)))
    steps.append(("second", Retrieval(Ref("sub", 1), _TOPK_PART)))
    docs = tuple(Ref(name) for name, _ in reversed(steps) if name in {"first", "followed", "second"})
    plan = _plan(*steps, ("answer", GenerateAnswer(_QUESTION, (*docs, _IN_USE))))
    yield Offer("decompose", plan, f"evidence for each of: {'; '.join(parts.texts)}")


def _quote_again(state: State, lack: Lack) -> Iterator[Offer]:
    """Ask the model once more where it had the evidence and its quotations did not verify."""
    seen = state.seen.citations
    unproved = isinstance(seen, CitationCheck) and (bool(seen.failed) or not seen.verified)
    if state.draft.cost.model_calls and state.ranking.hits and unproved:
        plan = _plan(("answer", GenerateAnswer(_QUESTION, _IN_USE, _AGAIN)))
        yield Offer("answer_again", plan, "an answer whose quotations stand in the passages in use")


ACTIONS: Final[tuple[Action, ...]] = (
    _current_revision,
    _answer_again,
    _follow,
    _parent_section,
    _rewrite_term,
    _expand_collection,
    _decompose,
    _expand_query,
    _quote_again,
)
GOVERNED: Final[tuple[Action, ...]] = (_current_revision, _parent_section, _expand_collection)
"""Those that read what RePAIR's state does not hold: revisions, sections, collections."""


def _reworded(state: State, instruction: str, expects: str) -> Offer:
    rewrite = RewriteQuery(_QUESTION, "clarify" if instruction == "clarify" else "expand")
    asked = Ref("q", 0)
    answer = GenerateAnswer(asked, (Ref("docs"), _IN_USE))
    return Offer("rewrite_term", _plan(("q", rewrite), ("docs", Retrieval(asked, _TOPK)), ("answer", answer)), expects)


def _searching(retrieval: Retrieval) -> Plan:
    return _plan(("docs", retrieval), ("answer", GenerateAnswer(_QUESTION, (Ref("docs"), _IN_USE))))


def _plan(*steps: tuple[str, Operation]) -> Plan:
    """Return the plan of these steps; the last binds the final answer, whatever it is called here."""
    *first, (_, answer) = steps
    return Plan((*(Step(name, operation) for name, operation in first), Step(FINAL, answer)))


def _has_siblings(state: State, number: int) -> bool:
    """Say whether a relevant passage's document certainly has passages that are not in use: earlier ones, by number."""
    hit = state.ranking.hits[number]
    seen = state.seen.relevance
    if isinstance(seen, Relevance):
        scores = {score.passage: score.probability if score.about is None else score.about for score in seen.passages}
        if scores.get(hit.passage.id, 0.0) < max(scores.values(), default=0.0) / 2:
            return False
    used = {h.passage.ordinal for h in state.ranking.hits if h.passage.revision_id == hit.passage.revision_id}
    return bool(hit.passage.section) and bool(set(range(hit.passage.ordinal)) - used)


def _about(state: State, lack: Lack) -> str:
    return ", ".join(lack.facts) or state.contract.claim
