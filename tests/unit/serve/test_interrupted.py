"""An interrupt ends long work wherever it comes."""

import os
import signal
from contextlib import suppress

import pytest

from remit.serve.interrupted import going_on


def work_that_swallows():
    """Do a piece of work that swallows an interrupt, and go on."""
    with going_on() as go_on:
        go_on()
        with suppress(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
        go_on()


def test_an_interrupt_that_was_swallowed_is_raised_after_the_next_piece(capsys):
    """Python swallows what is raised in a finalizer: the work still ends at its next step, with advice."""
    with pytest.raises(KeyboardInterrupt):
        work_that_swallows()
    assert "the same command goes on from here" in capsys.readouterr().err
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_who_said_not_to_be_interrupted_is_not():
    """Work that was started in the background, with interrupts ignored, goes on ignoring them."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with going_on() as go_on:
            os.kill(os.getpid(), signal.SIGINT)
            go_on()
    finally:
        signal.signal(signal.SIGINT, before)
