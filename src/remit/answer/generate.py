"""The generator: a chat model drafts from the ranking, and only what its quotations carry is kept."""

from __future__ import annotations

from typing import Final, NamedTuple

from remit.access.scope import Scope
from remit.answer.cite import cite
from remit.answer.draft import Answerer, Draft
from remit.answer.prompt import Prompt, load
from remit.answer.reply import Parsed, Unreadable, parse
from remit.contract.budget import Budget, Cost
from remit.contract.contract import Contract
from remit.errors import Cancelled, ProviderFailed
from remit.llm.cancel import Patience
from remit.llm.chat import Chat, Message, Reply
from remit.rerank.ranking import Ranking
from remit.retrieve.retriever import Hit

PROMPT: Final = "generate.txt"
"""The prompt's file, beside this one."""

ESTIMATED: Final = "tokens are an upper estimate: the provider reports none"

_TOKENS_AN_OCTET: Final = 0.4
_TOKENS_A_TURN: Final = 8


class _Failure(NamedTuple):
    """Why the model gave no draft, and what was spent on it."""

    why: str
    cost: Cost = Cost()


class Generator:
    """Answers with a chat model and falls back on another answerer where the model does not do its part.

    `room` is how many tokens prompt and reply may take together: passages that do not fit are left out, last ones first.
    `reserve` seconds of the time are kept for the fallback and the last verification.
    """

    def __init__(
        self, chat: Chat, fallback: Answerer, *, max_tokens: int = 400, room: int = 6_000, reserve: float = 3.0
    ) -> None:
        self.name = f"generate/1 {chat.name}"
        self._chat = chat
        self._fallback = fallback
        self._max_tokens = max_tokens
        self._room = room
        self._reserve = reserve

    @property
    def prompt_digest(self) -> str:
        """Return the digest of the prompt's file."""
        return self._prompt.digest

    @property
    def _prompt(self) -> Prompt:
        return load(PROMPT)

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
        most = Cost(model_calls=1, tokens=estimate(messages) + self._max_tokens, price=None)
        try:
            reply = self._ask(messages, budget, patience)
        except ProviderFailed as error:
            return _Failure(f"{error}; {ESTIMATED}", most)
        except Cancelled:
            patience.check()  # the asker still waits: only the model's share of the time is up
            return _Failure(f"it took longer than its share of the time; {ESTIMATED}", most)
        cost, remark = _spent(messages, reply)
        parsed = _parsed(reply, len(hits))
        if isinstance(parsed, Unreadable):
            return _Failure("; ".join(part for part in (parsed.reason, remark) if part), cost)
        cited = cite(parsed, contract, hits)
        return Draft(
            answer=cited.answer,
            claims=cited.claims,
            confidence=min((claim.support for claim in cited.claims), default=0.0),
            method=self.name,
            why="; ".join(part for part in (cited.why, remark) if part),
            cost=cost,
        )

    def _ask(self, messages: tuple[Message, ...], budget: Budget, patience: Patience) -> Reply:
        share = patience.keeping(self._reserve, until=budget.deadline)
        return self._chat.reply(messages, max_tokens=self._max_tokens, temperature=0.0, patience=share)

    def _messages(self, contract: Contract, hits: tuple[Hit, ...]) -> tuple[Message, ...]:
        passages = tuple(
            "\n".join((" / ".join((hit.source.title, *hit.passage.section)), hit.passage.text)) for hit in hits
        )
        return self._prompt.filled(passages, contract.question, contract.form)

    def _fitting(self, contract: Contract, hits: tuple[Hit, ...], tokens: int) -> tuple[Hit, ...]:
        """Return the first hits whose prompt leaves room for the reply."""
        while hits and estimate(self._messages(contract, hits)) + self._max_tokens > tokens:
            hits = hits[:-1]
        return hits

    def _empty(self, why: str) -> Draft:
        return Draft(answer=None, method=self.name, why=why)


def estimate(messages: tuple[Message, ...]) -> int:
    """Return an upper estimate of the tokens of messages: two for every five octets, and eight a turn."""
    octets = sum(len(message.text.encode("utf-8", "replace")) for message in messages)
    return int(octets * _TOKENS_AN_OCTET) + _TOKENS_A_TURN * len(messages)


def _spent(messages: tuple[Message, ...], reply: Reply) -> tuple[Cost, str]:
    """Return what a call cost, as the provider counted it, and a remark where that is an estimate. The price is unknown."""
    prompt, said = reply.usage.prompt_tokens, reply.usage.reply_tokens
    if prompt is not None and said is not None:
        return Cost(model_calls=1, tokens=prompt + said, price=None), ""
    tokens = (estimate(messages) if prompt is None else prompt) + (
        estimate((Message("assistant", reply.text),)) if said is None else said
    )
    return Cost(model_calls=1, tokens=tokens, price=None), ESTIMATED


def _parsed(reply: Reply, passages: int) -> Parsed | Unreadable:
    """Return what the reply says; a reply that was cut off says nothing: half a number is another number."""
    if reply.stop == "length":
        return Unreadable("the reply was cut off by its length")
    return parse(reply.text, passages)
