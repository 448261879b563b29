"""The contract: what exactly is asked, and what an answer to it owes."""

from __future__ import annotations

from datetime import date
from typing import Literal

from remit.contract.budget import Cost, Limits
from remit.contract.value import Value, digest_of

AnswerForm = Literal["number", "date", "name", "boolean", "list", "text"]
"""Which span of the evidence the asker wants back; `text` is the whole sentence."""


class RequiredFact(Value):
    """One thing the evidence must hold before the question counts as answered.

    `entity`: a code, a name, or a thing with a `qualifier` ("unit 7") that must stand there as it is. `topic`: what the question is about, by its content terms.
    `focus`: what is asked of it ("brand", "root cause"). `value`: a span of the wanted form, of one of `dimensions`, and
    where things are counted, of those `words` name. `scene` holds terms of sentences that only set the scene: they help
    a topic to be met and need not be. An optional fact tells sentences apart but is not required. `sort` is the word that says
    what a code stands for ("valve" of "valve P-7"): evidence for another thing of that code is for something else. `role` tells
    the people a question is about, the verb of what somebody is asked for, and each part of a question that asks several things,
    from other entities and focuses.
    """

    kind: Literal["entity", "topic", "focus", "value"]
    name: str
    terms: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    dimensions: tuple[str, ...] = ()
    scene: tuple[str, ...] = ()
    sort: str = ""
    qualifier: tuple[str, str] | None = None
    role: Literal["", "party", "relation", "part"] = ""
    optional: bool = False


class Comparison(Value):
    """What a question compares with: "more than 6 bar" is above 6 bar, "within 3 days" at most 3 days."""

    sense: Literal["above", "below", "at_least", "at_most", "exactly", "between"]
    amounts: tuple[str, ...]


class RevisionWanted(Value):
    """Which revision the contract is about: a date to be valid at, or a revision by its name."""

    at: date
    named: str | None = None
    historical: bool = False


class Contract(Value):
    """A question turned into something that evidence can be checked against.

    `parameters` are those the asker gave, `stated` those that the question's own words bind ("line 2"). `unit` is the one the
    answer is wanted in. `reply_in` is the language in which the asker is told what became of it. `origins` says for the
    fields that did not come from the rules whether the caller or a model filled them; `cost` is what understanding it took.
    """

    schema_version: Literal[1] = 1
    framing: str
    question: str
    claim: str
    facts: tuple[RequiredFact, ...]
    parameters: tuple[tuple[str, str], ...] = ()
    stated: tuple[tuple[str, str], ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    unit: str | None = None
    collections: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    wanted: RevisionWanted
    form: AnswerForm
    language: str = "en"
    reply_in: str = "en"
    origins: tuple[tuple[str, str], ...] = ()
    limits: Limits = Limits()
    cost: Cost = Cost()

    @property
    def digest(self) -> str:
        """Return the digest of the whole contract."""
        return digest_of(self.model_dump(mode="json"))

    def bound(self, key: str) -> str | None:
        """Return the value the asker gave for a parameter, or None where it was left open."""
        return dict(self.parameters).get(key)
