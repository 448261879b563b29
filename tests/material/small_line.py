"""A line over a handful of documents: a real store, search, answerer and executor, an encoder without weights, a scripted model."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import NamedTuple

from remit.access.policy import GroupLabels, authorize
from remit.access.principal import Principal
from remit.answer.extract import Extractive
from remit.answer.generate import Generator
from remit.ask import Line
from remit.baselines.running import run
from remit.baselines.work import Asked, Means, Work
from remit.contract.budget import Limits
from remit.contract.catalogue import Catalogue
from remit.contract.frame import Given, frame
from remit.contract.value import text_digest
from remit.corpus.document import Passage, Revision
from remit.corpus.sentences import sentences
from remit.corpus.sqlite import SqliteCorpus
from remit.corpus.store import NewRevision
from remit.decide.point import OperatingPoint
from remit.llm.cancel import Patience
from remit.llm.scripted import HashedWords, ScriptedChat
from remit.observe.read import Reader
from remit.repair.decompose import ClauseDecomposer
from remit.repair.execute import PlanExecutor
from remit.repair.rewrite import GlossaryRewriter
from remit.repair.template import TemplatePlanner
from remit.rerank.cutoff import Cutoff
from remit.retrieve.hybrid import HybridRetriever
from remit.settle.settle import Settlement

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
EMBED = HashedWords(64)
READER = Principal(id="reader", groups=("staff",))
QUESTION = "In which country was Ada Holm born?"
TEXTS = {
    "Ada Holm": "Ada Holm was born in Vik. She sailed the ship Alda. She died in 1931.",
    "Vik": "Vik is a town in Norway. It has a long pier.",
    "Alda": "The ship Alda was built in 1899. It sank near Oslo.",
    "Pier": "A pier is a long platform. Ships land at a pier.",
}
SECRET = ("Secret", "Ada Holm was born in the secret country of Erewhon.")


def new(title, text, labels=("staff",)):
    """Return a document on its way in, one passage."""
    source = Revision(
        document=title.lower().replace(" ", "-"),
        revision="1",
        title=title,
        collection="books",
        labels=frozenset(labels),
        status="current",
        authority="authoritative",
        digest=text_digest(text),
        recorded_at=NOW,
    )
    passage = Passage(
        id=f"{source.id}#0",
        document=source.document,
        revision="1",
        ordinal=0,
        section=(),
        start=0,
        end=len(text),
        text=text,
        sentences=tuple(sentences(text, 0, len(text))),
    )
    inner = EMBED.embed([passage.quote(span) for span in passage.sentences])
    return NewRevision(source, text, (passage,), EMBED.embed([f"{title} {text}"]), (inner,))


def corpus_of(folder):
    """Return a store of the texts, one of them closed to the reader."""
    corpus = SqliteCorpus.open(folder, create=True)
    corpus.use_encoder(EMBED.name, EMBED.dimension)
    for title, text in TEXTS.items():
        corpus.put(new(title, text), now=NOW)
    corpus.put(new(*SECRET, labels=("board",)), now=NOW)
    return corpus


class Made(NamedTuple):
    """What a test works with."""

    means: Means
    chat: ScriptedChat
    line: Line

    def asked(self, question=QUESTION, **limits):
        """Return a question of the reader."""
        contract = frame(question, Given(NOW.date(), limits=Limits(**limits)), Catalogue(), lambda _: None)
        scope = authorize(READER, contract, GroupLabels(), Catalogue())
        return Asked(contract, READER, scope, self.line.corpus.snapshot())

    def run(self, system, question=QUESTION, *, patience=None, **limits):
        """Run a system on a question."""
        return run(system, self.means, self.asked(question, **limits), patience or Patience())

    def work(self, question=QUESTION, **limits):
        """Return the work on a question, for what a test does step by step."""
        return Work(self.means, self.asked(question, **limits), Patience())

    @property
    def prompts(self):
        """The last turn of each call of the model."""
        return [asked.messages[-1].text for asked in self.chat.asked]


def made(corpus, turns=None):
    """Return the parts over a corpus; with `turns` a scripted model answers, else the extractive answerer does."""
    retriever = HybridRetriever(corpus, EMBED)
    extractive = Extractive(EMBED, retriever)
    chat = ScriptedChat(turns or ())
    answerer = extractive if turns is None else Generator(chat, extractive, max_tokens=64)
    point = OperatingPoint()
    line = Line(
        corpus=corpus,
        policy=GroupLabels(),
        retriever=retriever,
        reranker=Cutoff(),
        answerer=answerer,
        observe=Reader(corpus, extractive.weigh),
        planner=TemplatePlanner(point),
        executor=PlanExecutor(retriever, answerer, GlossaryRewriter(retriever), ClauseDecomposer()),
        settle=Settlement(corpus),
        point=point,
    )
    model = None if turns is None else chat
    return Made(Means(line, EMBED, extractive, model, model), chat, line)
