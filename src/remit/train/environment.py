"""The generator as the environment a reranker acts in (DynamicRAG, 2.2): a question and ordered passages give an answer."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Final, NamedTuple, Protocol, cast

from remit.access.scope import Scope
from remit.answer.draft import Answerer
from remit.contract.budget import Budget, Limits
from remit.contract.contract import Contract
from remit.contract.value import digest_of, text_digest
from remit.errors import ProviderFailed
from remit.llm.cancel import Patience
from remit.llm.chat import Chat, Message, Role
from remit.llm.metered import estimate
from remit.llm.tamed import tamed
from remit.rerank.ranking import Ranking
from remit.retrieve.retriever import Hit

PROMPT: Final = "generate.txt"
REPLY_TOKENS: Final = 32
_HEADING: Final = re.compile(r"^\[(system|user)\]\n", re.MULTILINE)
_BLANK: Final = re.compile(r"\{(passages|question)\}")
_NO_TIME: Final = 1e9


class Asked(NamedTuple):
    """A question and the passages sent with it, in their order."""

    contract: Contract
    hits: tuple[Hit, ...]


class Said(NamedTuple):
    """An answer, None where there was none, the tokens of prompt and reply where a model counted them, and what failed.

    What failed is not an answer of nothing: it is unmeasured, and is asked again the next time.
    """

    answer: str | None
    tokens: int | None = None
    failed: str = ""


class Environment(Protocol):
    """Answers questions, the same way each time. `name` says which generator and prompt, and keys what is kept."""

    name: str

    def answer(self, asked: Asked) -> Said:
        """Return the answer to one question; no passages: no answer and no model call."""


class Quoting:
    """Any answerer of the line as environment, such as the extractive one, without a limit that would cut it short."""

    def __init__(self, answerer: Answerer, scope: Scope) -> None:
        """Take the answerer and the scope its passages lie in."""
        self.name = f"answers {answerer.name}"
        self._answerer, self._scope = answerer, scope

    def answer(self, asked: Asked) -> Said:
        """Return what the answerer drafts from the passages."""
        if not asked.hits:
            return Said(None)
        ranking = Ranking(hits=asked.hits, policy="environment", reason="as sent")
        budget = Budget.of(Limits(seconds=_NO_TIME), now=0.0)
        try:
            draft = self._answerer.draft(asked.contract, ranking, self._scope, budget, Patience())
        except ProviderFailed as error:
            return Said(None, failed=str(error))
        return Said(draft.answer, draft.cost.tokens or None)


class ShortAnswers:
    """A chat model, local or behind an endpoint, asked greedily for the shortest answer."""

    def __init__(self, chat: Chat, *, room: int = 4_000) -> None:
        """Take the model, and the tokens that prompt and reply may take; last passages are left out where they do not fit."""
        self._chat, self._room = chat, room
        self.name = f"short/1 {chat.name} {_prompt_digest()[7:19]} room={room}"

    def answer(self, asked: Asked) -> Said:
        """Return the first line of the reply."""
        hits = asked.hits
        while hits and estimate(short_answer_messages(asked.contract.claim, hits)) + REPLY_TOKENS > self._room:
            hits = hits[:-1]
        if not hits:
            return Said(None)
        try:
            reply = self._chat.reply(
                short_answer_messages(asked.contract.claim, hits),
                max_tokens=REPLY_TOKENS,
                temperature=0.0,
                patience=Patience(),
            )
        except ProviderFailed as error:
            return Said(None, failed=str(error))
        counted = (reply.usage.prompt_tokens, reply.usage.reply_tokens)
        tokens = None if None in counted else sum(count or 0 for count in counted)
        said = next((line.strip() for line in reply.text.splitlines() if line.strip()), "")
        return Said(said or None, tokens)


class Kept:
    """An environment whose answers are kept in a JSON Lines file: asked again, also after a kill, they cost nothing.

    What failed is not kept. A line that a kill cut off is passed over and ended by the next write.
    """

    def __init__(self, environment: Environment, file: Path) -> None:
        """Take the environment and the file, which need not be there yet."""
        self.name = environment.name
        self._environment, self._file = environment, file
        self._said: dict[str, Said] = dict(_read(file))

    def answer(self, asked: Asked) -> Said:
        """Return the answer kept, or the environment's, which is then kept."""
        return self.answers([asked])[0]

    def answers(
        self, asked: Sequence[Asked], *, workers: int = 1, step: Callable[[], object] = lambda: None
    ) -> list[Said]:
        """Return the answers in the order asked, the same question with the same passages asked once; `step` after each."""
        keys = [self._key(one) for one in asked]
        missing = {key: one for key, one in zip(keys, asked, strict=True) if key not in self._said}
        failed: dict[str, Said] = {}
        pool = ThreadPoolExecutor(workers)
        try:
            for key, said in zip(missing, pool.map(self._environment.answer, missing.values()), strict=True):
                if said.failed:
                    failed[key] = said
                else:
                    self._keep(key, said)
                step()
        finally:
            pool.shutdown(cancel_futures=True)  # whoever stops a run does not wait for the rest of it
        return [self._said[key] if key in self._said else failed[key] for key in keys]

    def _keep(self, key: str, said: Said) -> None:
        self._said[key] = said
        self._file.parent.mkdir(parents=True, exist_ok=True)
        line = json.dumps({"key": key, "answer": said.answer, "tokens": said.tokens}, ensure_ascii=False)
        with self._file.open("ab+") as file:
            if file.tell() and not _ends_a_line(file.tell(), self._file):
                file.write(b"\n")
            file.write(line.encode("utf-8", "backslashreplace") + b"\n")

    def _key(self, asked: Asked) -> str:
        passages = [[hit.passage.id, text_digest(hit.passage.text)] for hit in asked.hits]
        return digest_of([self.name, asked.contract.digest, passages])[7:39]


def _ends_a_line(size: int, path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(size - 1)
        return file.read(1) == b"\n"


def _read(path: Path) -> list[tuple[str, Said]]:
    found = []
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines() if path.exists() else ():
        try:
            kept = json.loads(line)
            found.append((str(kept["key"]), Said(kept["answer"], kept["tokens"])))
        except (ValueError, KeyError, TypeError):
            continue  # cut off by a kill: it is asked again
    return found


def short_answer_messages(question: str, hits: Sequence[Hit]) -> tuple[Message, ...]:
    """Return the conversation that asks for a short answer from passages; training and inference share it."""
    blanks = {
        "passages": "\n\n".join(f"{hit.source.title}: {tamed(hit.passage.text)}" for hit in hits),
        "question": " ".join(tamed(question).split()),
    }
    return tuple(Message(turn.role, _BLANK.sub(lambda blank: blanks[blank[1]], turn.text)) for turn in _turns())


def _text() -> str:
    return resources.files(__package__).joinpath(PROMPT).read_text(encoding="utf-8")


def _prompt_digest() -> str:
    return text_digest(_text())


@lru_cache(maxsize=1)
def _turns() -> tuple[Message, ...]:
    _, *pieces = _HEADING.split(_text())
    return tuple(
        Message(cast("Role", role), body.strip()) for role, body in zip(pieces[::2], pieces[1::2], strict=True)
    )
