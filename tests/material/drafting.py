"""A generator over a scripted model, and the passages it is given."""

from datetime import UTC, date, datetime

from remit.access.scope import Scope
from remit.answer.draft import Draft
from remit.answer.generate import Generator
from remit.contract.budget import Budget, Limits
from remit.contract.contract import Contract, RevisionWanted
from remit.contract.value import text_digest
from remit.corpus.document import Passage, Revision, Span
from remit.llm.cancel import Patience
from remit.llm.scripted import ScriptedChat
from remit.rerank.ranking import Ranking
from remit.retrieve.retriever import Hit

SEAL = "Tighten the gland nuts evenly to 35 Nm."
GOOD = f"QUOTE [1]: {SEAL}\nANSWER: 35 Nm"
SCOPE = Scope(principal="mara", labels=frozenset({"public"}), policy="test")
EXTRACTED = Draft(answer="extracted", method="extractive", why="rules")


class Fallback:
    name = "fallback"

    def __init__(self):
        self.budgets = []

    def draft(self, contract, ranking, scope, budget, patience):
        self.budgets.append(budget)
        return EXTRACTED


def hit(text, labels=("public",), name="seal"):
    """Return a hit whose passage holds `text` as one sentence."""
    passage = Passage(
        id=f"{name}@1#0",
        document=name,
        revision="1",
        ordinal=0,
        section=("Steps",),
        start=0,
        end=len(text),
        text=text,
        sentences=(Span(0, len(text)),),
    )
    source = Revision(
        document=name,
        revision="1",
        title="Seals",
        collection="procedures",
        labels=frozenset(labels),
        digest=text_digest(text),
        recorded_at=datetime(2026, 1, 1, tzinfo=UTC),
    )
    return Hit(passage=passage, source=source, score=1.0)


def draft(
    turns,
    *,
    model=None,
    texts=(SEAL,),
    hits=None,
    limits=None,
    patience=None,
    question="What torque do the gland nuts get?",
    form="number",
    **given,
):
    """Return the draft of a generator over a scripted model, with the model and the fallback."""
    chat, fallback = ScriptedChat(turns), Fallback()
    ranked = tuple(hit(text, name=f"seal{n}") for n, text in enumerate(texts)) if hits is None else hits
    contract = Contract(
        framing="test",
        question=question,
        claim=question,
        facts=(),
        wanted=RevisionWanted(at=date(2026, 1, 1)),
        form=form,
    )
    patience = patience or Patience()
    budget = Budget.of(limits or Limits(), patience.clock())
    ranking = Ranking(hits=ranked, policy="test", reason="")
    return Generator(model or chat, fallback, **given).draft(contract, ranking, SCOPE, budget, patience), chat, fallback
