"""The generator: a chat model drafts from the ranking, and only what its quotations carry is kept."""

from __future__ import annotations

from copy import copy
from pathlib import Path
from typing import Any, Final, NamedTuple

from remit.access.scope import Scope
from remit.answer.carry import in_language
from remit.answer.cite import cite
from remit.answer.conditions import with_condition
from remit.answer.draft import Answerer, Draft
from remit.answer.prompt import Prompt, load
from remit.answer.reply import SCHEMA, Parsed, Unreadable, parse, parse_json
from remit.answer.spent import spent, too_dear
from remit.contract.budget import Budget, Cost
from remit.contract.contract import Contract
from remit.errors import Cancelled, ProviderFailed
from remit.llm.cancel import Patience
from remit.llm.chat import Chat, Message, Reply, Versatile
from remit.llm.composed import composed
from remit.llm.ledger import Price
from remit.llm.metered import estimate, metered
from remit.rerank.ranking import Ranking
from remit.retrieve.retriever import Hit

PROMPT: Final = "generate.txt"
"""The prompt's file, beside this one, where the reply is made of lines."""

PROMPT_JSON: Final = "generate_json.txt"
"""The same where the model's backend is held to a JSON schema."""


class _Failure(NamedTuple):
    """Why the model gave no draft, and what was spent on it."""

    why: str
    cost: Cost = Cost()


class Generator:
    """Answers with a chat model and falls back on another answerer where the model does not do its part.

    `room` is how many tokens prompt and reply may take together: passages that do not fit are left out, last ones first.
    `reserve` seconds of the time are kept for the fallback and the last verification. `structured` reads replies as JSON,
    for a model that is asked for `reply.SCHEMA`. Where the model says that no passage answers, the fallback drafts and the
    rules decide, for a passage could have told it to say so; with `abstains` the model is believed.
    """

    def __init__(
        self,
        chat: Chat,
        fallback: Answerer,
        *,
        max_tokens: int = 400,
        room: int = 6_000,
        reserve: float = 3.0,
        structured: bool = False,
        abstains: bool = False,
    ) -> None:
        self.name = f"generate/2 {chat.name}"
        self._chat = metered(chat)
        self._fallback = fallback
        self._max_tokens = max_tokens
        self._room = room
        self._reserve = reserve
        self._structured = structured
        self._abstains = abstains
        self._instruction = ""

    def instructed(self, instruction: str) -> Generator:
        """Return the same generator, which is told more with the question: what a plan asks of an answer."""
        other = copy(self)
        other._instruction = instruction  # noqa: SLF001 -- of its own class
        return other

    @property
    def prompt_digest(self) -> str:
        """Return the digest of the prompt's file."""
        return self._prompt.digest

    @property
    def _prompt(self) -> Prompt:
        return load(PROMPT_JSON if self._structured else PROMPT)

    def draft(self, contract: Contract, ranking: Ranking, scope: Scope, budget: Budget, patience: Patience) -> Draft:
        """Return a draft whose claims are cited from the ranking, or the fallback's, saying why.

        No passages, or one outside the scope: no model call and an empty draft.

        Raises:
            Cancelled: the asker went away, or the whole time is up.
        """
        patience.check()
        if not ranking.hits:
            return self._empty("nothing was retrieved")
        if not all(scope.admits(hit.source.labels, hit.source.collection, hit.source.document) for hit in ranking.hits):
            return self._empty("a passage lies outside the scope")
        drafted = self._generate(contract, ranking.hits, budget, patience)
        if isinstance(drafted, Draft):
            return drafted
        draft = self._fallback.draft(contract, ranking, scope, budget.spend(drafted.cost), patience)
        why = "; ".join(part for part in (f"without the model: {drafted.why}", draft.why) if part)
        return draft.model_copy(update={"why": why, "cost": drafted.cost.plus(draft.cost)})

    def _generate(
        self, contract: Contract, hits: tuple[Hit, ...], budget: Budget, patience: Patience
    ) -> Draft | _Failure:
        if budget.model_calls < 1:
            return _Failure("no model call is left in the budget")
        hits = self._fitting(contract, hits, min(self._room, budget.tokens))
        if not hits:
            return _Failure("too few tokens are left for a prompt")
        messages = self._messages(contract, hits)
        if dear := too_dear(self._chat, messages, self._max_tokens, budget):
            return _Failure(dear)
        before, failed, reply = len(patience.tally), "", None
        try:
            reply = self._ask(messages, budget, patience)
        except ProviderFailed as error:
            failed = str(error)
        except Cancelled:
            patience.check()  # the asker still waits: only the model's share of the time is up
            failed = "it took longer than its share of the time"
        cost, remark = spent(patience.tally.since(before))
        read = Unreadable(failed) if reply is None else self._read(reply, contract, hits)
        if isinstance(read, Draft):
            return read.model_copy(update={"why": _joined(read.why, remark), "cost": cost})
        return _Failure(_joined(read.reason, remark), cost)

    def _read(self, reply: Reply, contract: Contract, hits: tuple[Hit, ...]) -> Draft | Unreadable:
        """Return the draft that a reply comes to, or why it comes to none."""
        parsed = self._parsed(reply, len(hits))
        if isinstance(parsed, Unreadable):
            return parsed
        cited = cite(parsed, contract, hits)
        if cited.answer is None and not (parsed.answer is None and self._abstains):
            return Unreadable(cited.why)
        quotes = [citation.quote for claim in cited.claims for citation in claim.citations]
        if cited.answer is not None and not in_language(cited.answer, contract, quotes):
            return Unreadable("the answer is not in the language of the question")
        return Draft(
            answer=with_condition(cited.answer, cited.claims, contract, hits),
            claims=cited.claims,
            confidence=min((claim.support for claim in cited.claims), default=0.0),
            method=self.name,
            why=cited.why,
        )

    def _parsed(self, reply: Reply, passages: int) -> Parsed | Unreadable:
        """Return what the reply says; a reply that was cut off says nothing: half a number is another number."""
        if reply.stop == "length":
            return Unreadable("the reply was cut off by its length")
        return (parse_json if self._structured else parse)(reply.text, passages)

    def _ask(self, messages: tuple[Message, ...], budget: Budget, patience: Patience) -> Reply:
        share = patience.keeping(self._reserve, until=budget.deadline, calls=budget.model_calls)
        return self._chat.reply(messages, max_tokens=self._max_tokens, temperature=0.0, patience=share)

    def _messages(self, contract: Contract, hits: tuple[Hit, ...]) -> tuple[Message, ...]:
        passages = tuple(
            "\n".join((" / ".join((hit.source.title, *hit.passage.section)), hit.passage.text)) for hit in hits
        )
        asked = f"{contract.question} ({self._instruction})" if self._instruction else contract.question
        return self._prompt.filled(passages, asked, contract.form)

    def _fitting(self, contract: Contract, hits: tuple[Hit, ...], tokens: int) -> tuple[Hit, ...]:
        """Return the first hits whose prompt leaves room for the reply."""
        while hits and estimate(self._messages(contract, hits)) + self._max_tokens > tokens:
            hits = hits[:-1]
        return hits

    def _empty(self, why: str) -> Draft:
        return Draft(answer=None, method=self.name, why=why)


def generator(
    model: Versatile,
    fallback: Answerer,
    folder: Path,
    *,
    price: Price | None = None,
    logprobs: bool = False,
    structured: bool = False,
    cache_megabytes: int = 0,
    **given: Any,
) -> Generator:
    """Return a generator over a model with all that stands between: bill, retries, and kept replies in `folder`.

    Raises:
        MissingPrerequisite: the file of kept replies cannot be used.
    """
    schema = SCHEMA if structured else None
    chat = composed(model, folder, price=price, schema=schema, logprobs=logprobs, cache_megabytes=cache_megabytes)
    return Generator(chat, fallback, structured=structured, **given)


def _joined(*parts: str) -> str:
    return "; ".join(part for part in parts if part)
