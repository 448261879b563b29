"""Long work that somebody may interrupt: the interrupt is heard, wherever it happens to come."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import click


@contextmanager
def going_on() -> Iterator[Callable[[], None]]:
    """Yield what to call after each piece of work, and say, where somebody interrupts, what was done and how to go on.

    Python raises an interrupt wherever it is, and a finalizer swallows what is raised in it: what is called after each piece
    raises it once more.

    Raises:
        KeyboardInterrupt: somebody interrupted.
    """
    asked = threading.Event()

    def hear(_number: int, _frame: FrameType | None) -> None:
        asked.set()
        raise KeyboardInterrupt

    def go_on() -> None:
        if asked.is_set():
            raise KeyboardInterrupt

    before = signal.getsignal(signal.SIGINT)
    # Who started us in the background may have said that we are not to be interrupted, and only the main thread hears.
    ours = before is signal.default_int_handler and threading.current_thread() is threading.main_thread()
    if ours:
        signal.signal(signal.SIGINT, hear)
    try:
        yield go_on
    except KeyboardInterrupt:
        click.echo("interrupted: what was stored is whole; the same command goes on from here", err=True)
        raise
    finally:
        if ours:
            signal.signal(signal.SIGINT, before)
