"""The listwise policy (DynamicRAG, 3.1): a chat model reads the question and all candidates, and names those needed."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum
from typing import Final, NamedTuple

from remit.access.scope import Scope
from remit.contract.budget import Budget, Cost
from remit.contract.contract import Contract
from remit.errors import Cancelled, ProviderFailed
from remit.llm.cancel import Patience
from remit.llm.chat import Chat, Message, Reply
from remit.llm.ledger import total_price
from remit.llm.metered import metered, price_of
from remit.rerank.choice_reply import MOST, NoChoice, read_choice
from remit.rerank.listwise_prompt import Fitted, fitted, prompt
from remit.rerank.ranking import Ranking, Reranker
from remit.retrieve.retriever import Candidates, Hit

MOST_CANDIDATES: Final = 45
REPLY_TOKENS: Final = 120
"""Fifteen numbers in brackets, and then some."""


class _Read(NamedTuple):
    hits: tuple[Hit, ...]
    remarks: tuple[str, ...]
    log_probability: float | None


class Listwise:
    """One call for all candidates; two where they do not fit, the second among the first half and what the first chose.

    `room` is what prompt and reply may take together in tokens. Where the model does not do its part, `fallback` ranks and
    the ranking warns. At temperature 0 the choice repeats; the paper samples at 0.2. The log-probability is that of the
    reply's tokens, where the model tells it and one call made the choice.
    """

    def __init__(
        self,
        chat: Chat,
        fallback: Reranker,
        *,
        room: int = 6_000,
        temperature: float = 0.0,
        most: int = MOST,
        reserve: float = 3.0,
        kind: str = "listwise",
    ) -> None:
        self._chat, self._fallback = metered(chat), fallback
        self._room, self._temperature, self._most, self._reserve = room, temperature, max(0, min(most, MOST)), reserve
        self.name = f"{kind}/1 {chat.name} {prompt().digest[7:19]} T={temperature}"

    def rank(
        self, contract: Contract, candidates: Candidates, scope: Scope, budget: Budget, patience: Patience
    ) -> Ranking:
        """Return what the model chose of the first 45; no candidates, or one outside the scope: no call.

        Raises:
            Cancelled: the asker went away, or the whole time is up.
        """
        patience.check()
        hits = tuple({hit.passage.id: hit for hit in candidates.hits}.values())[:MOST_CANDIDATES]
        if not hits:
            return Ranking(hits=(), policy=self.name, reason="nothing was found", digest=prompt().digest)
        if not all(scope.admits(hit.source.labels, hit.source.collection, hit.source.document) for hit in hits):
            without = self._fallback.rank(contract, candidates, scope, budget, patience)
            return self._instead(without, "a passage lies outside the scope")
        before, failed, read = len(patience.tally), "", None
        try:
            read = self._chosen(contract.claim, hits, budget, patience)
        except ProviderFailed as error:
            failed = str(error)
        except Cancelled:
            patience.check()  # the asker still waits: only the model's share of the time is up
            failed = "it took longer than its share of the time"
        cost = _spent(patience, before)
        if isinstance(read, _Read):
            return Ranking(
                hits=read.hits,
                policy=self.name,
                reason=f"the model chose {len(read.hits)} of {len(hits)}",
                log_probability=read.log_probability,
                digest=prompt().digest,
                warnings=read.remarks,
                cost=cost,
            )
        why = failed if read is None else read.reason
        without = self._fallback.rank(contract, candidates, scope, budget.spend(cost), patience)
        return self._instead(without, why, cost)

    def _chosen(self, question: str, hits: tuple[Hit, ...], budget: Budget, patience: Patience) -> _Read | NoChoice:
        if refused := self._refused(budget):
            return NoChoice(refused)
        room = min(self._room, budget.tokens) - REPLY_TOKENS
        whole = fitted(question, hits, room)
        if whole is None:
            return NoChoice("too few tokens are left for a prompt")
        if whole.shown == len(hits):
            return self._asked(whole, hits, budget, patience)
        return self._twice(question, hits, whole, budget, patience)

    def _twice(
        self, question: str, hits: tuple[Hit, ...], head: Fitted, budget: Budget, patience: Patience
    ) -> _Read | NoChoice:
        """Return the choice made in two calls: first of those at the end, then of these and those at the beginning."""
        calls = len(patience.tally)
        rest = hits[max(1, head.shown - self._most) :]
        tail = fitted(question, rest, min(self._room, budget.tokens // 2) - REPLY_TOKENS)
        if budget.model_calls < 2 or tail is None:  # noqa: PLR2004 - two calls
            short = self._asked(head, hits[: head.shown], budget, patience)
            return _remarked(short, f"only the first {head.shown} of {len(hits)} fitted")
        read = self._asked(tail, rest[: tail.shown], budget, patience)
        if isinstance(read, NoChoice):
            return read
        left = budget.spend(_spent(patience, calls))
        again = (*hits[: len(hits) - len(rest)], *read.hits)
        final = fitted(question, again, min(self._room, left.tokens) - REPLY_TOKENS)
        if final is None:
            return NoChoice("too few tokens are left for a second prompt")
        second = self._asked(final, again[: final.shown], left, patience)
        if isinstance(second, NoChoice):
            return second
        remarks = [*read.remarks, "they did not fit into one call: two were made"]
        if missed := len(rest) - tail.shown + len(again) - final.shown:
            remarks.append(f"{missed} of {len(hits)} fitted into neither call")
        return _Read(second.hits, (*remarks, *second.remarks), None)

    def _asked(self, shown: Fitted, hits: Sequence[Hit], budget: Budget, patience: Patience) -> _Read | NoChoice:
        """Return what one call chose among the hits shown: its numbers are places in them and in nothing else."""
        reply = self._reply(shown.messages, budget, patience)
        read = read_choice(reply.text, len(hits), most=self._most)
        if isinstance(read, NoChoice):
            return read
        remarks = (*read.remarks, "the reply was cut off") if reply.stop == "length" else read.remarks
        if reply.stop == "length" and not read.places:
            return NoChoice("the reply was cut off")
        return _Read(tuple(hits[place] for place in read.places), remarks, _log_probability(reply))

    def _reply(self, messages: tuple[Message, ...], budget: Budget, patience: Patience) -> Reply:
        share = patience.keeping(self._reserve, until=budget.deadline, calls=budget.model_calls)
        return self._chat.reply(messages, max_tokens=REPLY_TOKENS, temperature=self._temperature, patience=share)

    def _refused(self, budget: Budget) -> str:
        """Return why no call is made, or nothing where one may be."""
        if budget.model_calls < 1:
            return "no model call is left in the budget"
        if budget.limits.price is None:
            return ""
        price = price_of(self._chat)
        if price is None or budget.used.price is None:
            return "limits.price is set and what the model costs is not known: set [chat.price]"
        dear = price.of(self._room - REPLY_TOKENS, REPLY_TOKENS) > budget.limits.price - budget.used.price
        return "too little of limits.price is left for a call" if dear else ""

    def _instead(self, ranking: Ranking, why: str, cost: Cost | None = None) -> Ranking:
        """Return the fallback's ranking, saying why the model did not rank."""
        update = {
            "policy": self.name,
            "reason": f"without the model: {ranking.reason}",
            "log_probability": None,
            "digest": prompt().digest,
            "warnings": (why, *ranking.warnings),
            "cost": (cost or Cost()).plus(ranking.cost),
        }
        return ranking.model_copy(update=update)


def _remarked(read: _Read | NoChoice, remark: str) -> _Read | NoChoice:
    return read if isinstance(read, NoChoice) else read._replace(remarks=(*read.remarks, remark))


def _log_probability(reply: Reply) -> float | None:
    return None if reply.tokens is None else min(0.0, fsum(token.logprob for token in reply.tokens))


def _spent(patience: Patience, before: int) -> Cost:
    calls = patience.tally.since(before)
    return Cost(
        model_calls=sum(call.count for call in calls),
        tokens=sum(call.tokens for call in calls),
        price=total_price(calls),
    )
