"""What a local chat model answers given the gold passages: as it serves, only what verifies, and its own words.

Replies are kept outside of the repository after each question, so that a killed run goes on where it was. Run alone, with
$REMIT_GGUF, it asks the model and prints nothing else; `answers.py` then takes the replies for its table.
"""

import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from gold import CACHE, DATA, EVERYONE, Case, Encoder, cases

from remit.adapters.gguf import GgufChat
from remit.answer.draft import Draft
from remit.answer.extract import Extractive
from remit.answer.generate import Generator
from remit.answer.reply import Parsed, parse
from remit.contract.budget import Budget, Limits
from remit.llm.cache import Cached, KeptReplies
from remit.llm.cancel import Patience
from remit.llm.chat import Message, Reply
from remit.llm.metered import Metering, metered

ASKED = int(os.environ.get("REMIT_ASKED", "40"))
SETS = ("nq", "hotpotqa")
FELL_BACK = "without the model: "


class Way(NamedTuple):
    """A way to answer, and what it said to each question."""

    name: str
    answer: Callable[[Case], str]


class Heard(Metering):
    """A model whose last reply can be looked at."""

    def __init__(self, path: Path) -> None:
        self._chat = metered(Cached(GgufChat(path), KeptReplies(CACHE / "modelled.db")))
        self.name, self.price = self._chat.name, None
        self.last: Reply | None = None

    def reply(self, messages: tuple[Message, ...], *, max_tokens: int, temperature: float, patience: Patience) -> Reply:
        self.last = None
        self.last = self._chat.reply(messages, max_tokens=max_tokens, temperature=temperature, patience=patience)
        return self.last


class Modelled:
    """A model's answers to questions, each asked once."""

    def __init__(self, path: str) -> None:
        self.name = Path(path).stem
        self.reasons: Counter[str] = Counter()
        self._chat = Heard(Path(path))
        self._held: dict[str, tuple[Draft, str]] = {}

    @property
    def fell_back(self) -> str:
        """How often it did not do its part, and why."""
        told = "; ".join(f"{count} times {why}" for why, count in self.reasons.most_common())
        return f"{sum(self.reasons.values())} of {len(self._held)} questions" + (f" ({told})" if told else "")

    def ways(self, fallback: Extractive) -> Iterator[Way]:
        """Yield the three ways to take what it said."""
        generator = Generator(self._chat, fallback)

        def asked(case: Case) -> tuple[Draft, str]:
            if case.id not in self._held:
                budget = Budget.of(Limits(seconds=600.0), now=time.monotonic())
                draft = generator.draft(case.contract, case.ranking, EVERYONE, budget, Patience())
                read = None if self._chat.last is None else parse(self._chat.last.text, len(case.ranking.hits))
                own = read.answer if isinstance(read, Parsed) else None
                self._held[case.id] = draft, own or ""
                if draft.why.startswith(FELL_BACK):
                    self.reasons[draft.why.removeprefix(FELL_BACK).split(";")[0].split(":")[0]] += 1
            return self._held[case.id]

        def verified(case: Case) -> str:
            draft, _ = asked(case)
            return "" if draft.why.startswith(FELL_BACK) else draft.answer or ""

        yield Way(f"{self.name}, as it serves", lambda case: asked(case)[0].answer or "")
        yield Way(f"{self.name}, only what verifies", verified)
        yield Way(f"{self.name}, its own words", lambda case: asked(case)[1])


def main() -> int:
    """Ask the model the first questions of each set."""
    if not DATA.exists() or "REMIT_GGUF" not in os.environ:
        print("no shared/data beside this checkout, or no REMIT_GGUF: nobody to ask")
        return 0
    model = Modelled(os.environ["REMIT_GGUF"])
    for name in SETS:
        encoder = Encoder(name)
        way = next(model.ways(Extractive(encoder, encoder)))
        for number, case in enumerate(list(cases(name, "dev"))[:ASKED], 1):
            way.answer(case)
            print(f"\r{name}: {number} asked", end="", file=sys.stderr, flush=True)
    print(f"\n{model.fell_back}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
