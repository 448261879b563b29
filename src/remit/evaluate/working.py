"""The workers of a comparison: each tries questions, one after the other, on the store of the last one where it can."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from pathlib import Path
from typing import Final, NamedTuple

from remit.baselines.running import broken
from remit.baselines.running import run as run_system
from remit.baselines.table import system_of
from remit.cases.case import Case
from remit.errors import RemitError
from remit.evaluate.bench import Bench
from remit.evaluate.comparison import Comparison
from remit.evaluate.trial import Trial, trial_of
from remit.llm.cancel import Patience
from remit.measure.text import best
from remit.settings import Settings

REPLIES: Final = "replies"


class Place(NamedTuple):
    """Where a run's files lie, and what it takes from outside its experiment."""

    folder: Path
    out: Path
    key: str | None = None
    gguf: str | None = None


class Try(NamedTuple):
    """A system to try: its place in the experiment, its name, the trial's digest, and the digest of all but the case."""

    at: int
    name: str
    digest: str
    under: str


class Job(NamedTuple):
    """One question for one worker: the systems that have yet to be tried on it."""

    at: int
    set_name: str
    case: Case
    store: Path
    tries: tuple[Try, ...]
    parts: tuple[tuple[str, ...], ...] = ()


def settings_of(comparison: Comparison, place: Place) -> Settings:
    """Return the settings that every store is opened with."""
    chat = None if comparison.chat is None else comparison.chat.settings(place.folder, place.key, place.gguf)
    return Settings(chat=chat, limits=comparison.limits)


def bench_of(comparison: Comparison, place: Place, store: Path) -> Bench:
    """Return a store opened with the experiment's model, whose replies are kept with the results."""
    settings = settings_of(comparison, place)
    return Bench(store, settings, replies=place.out / REPLIES, weights=place.folder)


def made(comparison: Comparison, place: Place, jobs: Sequence[Job], stop: Callable[[], bool]) -> Iterator[list[Trial]]:
    """Yield the trials of each job as it is done, in processes where there are several workers, until it is to stop."""
    if comparison.run.workers == 1 or len(jobs) <= 1:
        worker = _Worker(comparison, place)
        try:
            for one in jobs:
                if stop():
                    return
                yield worker.trials(one)
        finally:
            worker.close()
        return
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(
        comparison.run.workers, mp_context=context, initializer=_begin, initargs=(comparison, place)
    )
    waiting = iter(jobs)
    try:
        running: set[Future[list[Trial]]] = set()
        while True:
            while len(running) < 2 * comparison.run.workers and not stop() and (job := next(waiting, None)) is not None:
                running.add(pool.submit(_do, job))
            if not running:
                return
            finished, running = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                yield future.result()
    finally:
        pool.shutdown(cancel_futures=True)


class _Worker:
    """Tries questions; the store of the last one stays open."""

    def __init__(self, comparison: Comparison, place: Place) -> None:
        self._comparison, self._place = comparison, place
        self._store: Path | None = None
        self._bench: Bench | None = None
        self._near = None if comparison.likeness is None else comparison.likeness.made(place.folder)

    def trials(self, job: Job) -> list[Trial]:
        """Return a trial of each system that is left to try on a question."""
        bench = self._opened(job.store)
        bench.turn_to(job.case)
        return [self._trial(bench, job, one) for one in job.tries]

    def close(self) -> None:
        if self._bench is not None:
            self._bench.close()
        self._bench = self._store = None

    def _opened(self, store: Path) -> Bench:
        if self._bench is None or self._store != store:
            self.close()
            self._bench, self._store = bench_of(self._comparison, self._place, store), store
        return self._bench

    def _trial(self, bench: Bench, job: Job, one: Try) -> Trial:
        entry = self._comparison.systems[one.at]
        system = system_of(entry.system, entry.options, bench.kit)
        asked = bench.asked(job.case, self._comparison.limits, self._comparison.today)
        patience = Patience()
        began, waited, saved = time.perf_counter(), bench.waited, bench.memory.saved
        try:
            result = run_system(system, bench.kit.means, asked, patience)
        except RemitError:
            raise
        except Exception as error:  # noqa: BLE001 - the boundary of a trial: one that breaks costs itself, not the run
            result = broken(error)
        own = time.perf_counter() - began - (bench.waited - waited)
        seconds = own + sum(call.seconds for call in patience.tally) + bench.memory.saved - saved
        trial = trial_of(
            job.case,
            result,
            system=one.name,
            set_name=job.set_name,
            digest=one.digest,
            seconds=seconds,
            parts=job.parts,
        )
        more: dict[str, object] = {"under": one.under, "leaks": bench.leaks(job.case.asker, result)}
        if (near := self._near) is not None and trial.f1 is not None:
            golden = job.case.golden_answers
            more["likeness"] = best(near.similarity, trial.answer, golden) if trial.answered and trial.answer else 0.0
        return trial.model_copy(update=more)


_WORKER: list[_Worker] = []


def _begin(comparison: Comparison, place: Place) -> None:
    """Begin a worker process. An interrupt is the parent's to handle: it lets what is under way come to its end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _WORKER.append(_Worker(comparison, place))


def _end_with_parent() -> None:
    """End this process when the parent has gone, however it went: nobody would read what it does."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _do(job: Job) -> list[Trial]:
    return _WORKER[0].trials(job)
