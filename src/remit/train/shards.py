"""Where work is done: here, in processes of this machine, or on a Ray cluster; the same function, the same results."""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from importlib.util import find_spec
from itertools import islice
from typing import Any, Final, Literal, NamedTuple, TypeVar

from remit.errors import MissingPrerequisite

Item = TypeVar("Item")
Result = TypeVar("Result")
Worker = Callable[[Item], Result]
"""Does one piece of work; made once in each process by a factory, as it may hold a store and a model."""


class Where(NamedTuple):
    """Where work is done. `address` is that of a Ray cluster; without one, Ray starts on this machine."""

    kind: Literal["here", "processes", "ray"] = "here"
    workers: int = 1
    address: str | None = None


HERE: Final = Where()


def spread(
    factory: Callable[[], Worker[Item, Result]],
    items: Iterable[Item],
    where: Where = HERE,
) -> Iterator[tuple[Item, Result]]:
    """Yield items with what came of each: in order where they are done here, as they are done elsewhere.

    Factory and items must survive being pickled, unless the work is done here.

    Raises:
        MissingPrerequisite: Ray was asked for and is not installed.
    """
    if where.kind == "here":
        worker = factory()
        for item in items:
            yield item, worker(item)
    elif where.kind == "processes":
        yield from _processes(factory, items, where.workers)
    else:
        yield from _ray(factory, items, where)


_MADE: list[Any] = []
_LOOK: Final = 0.5


def _begin(factory: Callable[[], Worker[Item, Result]], parent: int) -> None:
    threading.Thread(target=_outlive, args=(parent,), daemon=True).start()
    _MADE[:] = [factory()]


def _outlive(parent: int) -> None:
    """End this process soon after its parent was killed: nobody else would, and what it makes nobody would log."""
    while os.getppid() == parent:
        time.sleep(_LOOK)
    os._exit(1)


def _do(item: Any) -> Any:
    return _MADE[0](item)


def _processes(
    factory: Callable[[], Worker[Item, Result]], items: Iterable[Item], workers: int
) -> Iterator[tuple[Item, Result]]:
    # spawn, not fork: a forked child would share the parent's open SQLite files and its models' threads
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, context, initializer=_begin, initargs=(factory, os.getpid())) as pool:
        source, waiting = iter(items), dict[Future[Result], Item]()
        try:
            while True:
                waiting.update((pool.submit(_do, item), item) for item in islice(source, 2 * workers - len(waiting)))
                if not waiting:
                    return
                for done in wait(waiting, return_when=FIRST_COMPLETED).done:
                    yield waiting.pop(done), done.result()
        finally:
            pool.shutdown(cancel_futures=True)


def _ray(
    factory: Callable[[], Worker[Item, Result]], items: Iterable[Item], where: Where
) -> Iterator[tuple[Item, Result]]:
    if find_spec("ray") is None:
        raise MissingPrerequisite("work on a cluster needs Ray: pip install 'remit[cluster]'")
    import ray  # noqa: PLC0415 - an extra
    from ray.util.actor_pool import ActorPool  # noqa: PLC0415

    class Shard:
        def __init__(self) -> None:
            self._worker = factory()

        def do(self, item: Item) -> tuple[Item, Result]:
            return item, self._worker(item)

    began = not ray.is_initialized()
    if began:
        # a cluster has Remit installed; on this machine the shards find what this process finds
        paths = {"env_vars": {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}} if where.address is None else None
        ray.init(
            address=where.address,
            runtime_env=paths,
            include_dashboard=False,
            log_to_driver=False,
            configure_logging=False,
        )
    try:
        shard = ray.remote(Shard)
        pool = ActorPool([shard.remote() for _ in range(where.workers)])
        everything: Sequence[Item] = list(items)
        yield from pool.map_unordered(lambda actor, item: actor.do.remote(item), everything)
    finally:
        if began:
            ray.shutdown()
