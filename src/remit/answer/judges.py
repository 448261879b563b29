"""Two judges of entailment: a chat model that says one word, and a cross-encoder that gives a number."""

from __future__ import annotations

from typing import Final

from remit.answer.draft import Judged
from remit.answer.entail import Asserted, Judgement
from remit.answer.prompt import Prompt, load
from remit.answer.spent import spent, too_dear
from remit.contract.budget import Budget, Cost
from remit.contract.value import text_digest
from remit.errors import Cancelled, MissingPrerequisite, ProviderFailed
from remit.llm.cancel import Patience
from remit.llm.chat import Chat
from remit.llm.encode import Encode, Pair
from remit.llm.ledger import Call
from remit.llm.metered import estimate, metered

PROMPT: Final = "entail.txt"
"""The prompt's file, beside this one."""

_VERDICTS: Final = {"yes": "supported", "no": "not supported"}
_WORD: Final = 8
"""Tokens that the one word of a verdict may take."""
_NO_CALL: Final = "no model call is left in the budget for the check"


class ChatJudge:
    """Asks a chat model for one word, YES or NO. Any other reply is no verdict.

    `reserve` seconds of the time are kept for the last verification; `tokens` is what one call may take, prompt and reply.
    """

    def __init__(self, chat: Chat, *, tokens: int = 1_500, seconds: float = 3.0) -> None:
        self.name = f"entail/1 {chat.name}"
        self.reserve = Cost(model_calls=1, tokens=tokens)
        self._chat = metered(chat)
        self._seconds = seconds

    @property
    def prompt_digest(self) -> str:
        """Return the digest of the prompt's file."""
        return self._prompt.digest

    @property
    def _prompt(self) -> Prompt:
        return load(PROMPT)

    def judge(self, asserted: tuple[Asserted, ...], budget: Budget, patience: Patience) -> Judgement:
        """Return a verdict for each statement, one call a statement, as long as the budget lasts.

        Raises:
            Cancelled: the asker went away, or the whole time is up.
        """
        verdicts, before = [], len(patience.tally)
        for one in asserted:
            patience.check()
            cost, _ = spent(patience.tally.since(before))
            said, why = self._said(one, budget.spend(cost), patience)
            verdicts.append(_judged(one, self.name, said, why=why))
        return Judgement(tuple(verdicts), spent(patience.tally.since(before))[0])

    def _said(self, one: Asserted, budget: Budget, patience: Patience) -> tuple[str, str]:
        """Return what the model replied, or nothing and why."""
        messages = self._prompt.filled(one.quotes, one.question, "text", statement=one.statement)
        if budget.model_calls < 1:
            return "", _NO_CALL
        if estimate(messages) + _WORD > budget.tokens:
            return "", "too few tokens are left for the check"
        if dear := too_dear(self._chat, messages, _WORD, budget):
            return "", dear
        share = patience.keeping(self._seconds, until=budget.deadline, calls=budget.model_calls)
        try:
            reply = self._chat.reply(messages, max_tokens=_WORD, temperature=0.0, patience=share)
        except ProviderFailed as error:
            return "", f"not checked: {error}"
        except Cancelled:
            patience.check()  # the asker still waits: only the check's share of the time is up
            return "", "not checked: it took longer than its share of the time"
        return reply.text, "the check gave no verdict"


class EncoderJudge:
    """Asks a cross-encoder that tells entailment: a statement stands from a score of `threshold` on.

    The quotations are what is read first, the question with the statement what they should entail. Scores of two models
    are never compared: the threshold belongs to the model.
    """

    def __init__(self, encode: Encode, *, threshold: float) -> None:
        self.name = f"entail/1 {encode.name} >= {threshold:g}"
        self.reserve = Cost(model_calls=1)
        self._encode = encode
        self._threshold = threshold

    def judge(self, asserted: tuple[Asserted, ...], budget: Budget, patience: Patience) -> Judgement:
        """Return a verdict for each statement, all of them in one call.

        Raises:
            Cancelled: the asker went away, or the whole time is up.
        """
        patience.check()
        if budget.model_calls < 1:
            return Judgement(tuple(_judged(one, self.name, "", why=_NO_CALL) for one in asserted), Cost())
        began, why, scores = patience.clock(), "", [float("nan")] * len(asserted)
        try:
            scores = [float(score) for score in self._encode.encode([_pair(one) for one in asserted])]
        except (ProviderFailed, MissingPrerequisite) as error:
            why = f"not checked: {error}"
        seconds = patience.clock() - began
        patience.tally.put(Call(self._encode.name, "failed" if why else "replied", 0, 0, 0, seconds, 0.0))
        patience.check()
        verdicts = (
            self._verdict(one, score, why or "the check gave no number")
            for one, score in zip(asserted, scores, strict=True)
        )
        return Judgement(tuple(verdicts), Cost(model_calls=1))

    def _verdict(self, one: Asserted, score: float, why: str) -> Judged:
        if score != score:  # noqa: PLR0124 - only a number that is none differs from itself
            return _judged(one, self.name, "", why=why)
        return _judged(one, self.name, "yes" if score >= self._threshold else "no", score=score)


def _pair(one: Asserted) -> Pair:
    return Pair("\n".join(one.quotes), f"{one.question} {one.statement}")


def _judged(one: Asserted, name: str, said: str, *, why: str = "", score: float | None = None) -> Judged:
    """Return the verdict that a word gives; any other word gives none."""
    verdict = _VERDICTS.get(said.strip().strip(".!\"'*").casefold(), "unmeasured")
    return Judged.model_validate(
        {
            "statement": text_digest(one.statement),
            "verdict": verdict,
            "judge": name,
            "score": score,
            "why": why if verdict == "unmeasured" else "",
        }
    )
