"""Exceptions Remit raises: one tree, each message naming the fix.

::

    RemitError
    ├── InvalidInput          a file, a field or an argument is wrong         exit 5
    ├── NothingThere          no such store, trace, document or passage       exit 4
    ├── MissingPrerequisite   an extra, a weight file or a newer store schema exit 3
    ├── ProviderFailed        a model endpoint or engine did not do its part  exit 6
    │   └── ProviderBusy      the same, and a later try may succeed
    ├── AccessFailed          a policy could not decide: the line denies              exit 5
    ├── CorpusDamaged         stored bytes do not match their digest          exit 3
    └── Cancelled             the asker went away or the deadline passed

Outcomes (deny, abstain, review and so on) are values, never exceptions. An exception means a broken boundary;
`boundary` attributes it once, to the part in which it happened.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


class RemitError(Exception):
    """Any failure Remit names. `exit_code` is what the command line ends with."""

    exit_code = 1

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.part: str | None = None


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong with one input: where it is and how to mend it."""

    file: str
    line: int | None
    field: str | None
    error: str

    def __str__(self) -> str:
        file = "".join(
            "\N{REPLACEMENT CHARACTER}" if char in "\r\n" else char for char in self.file
        )  # one fault a line
        place = file if self.line is None else f"{file}:{self.line}"
        return f"{place}: {self.field}: {self.error}" if self.field else f"{place}: {self.error}"


class InvalidInput(RemitError):
    """Input that cannot be used; `faults` names file, line and field of each reason."""

    exit_code = 5

    def __init__(self, message: str, faults: tuple[Fault, ...] = ()) -> None:
        super().__init__(message)
        self.faults = faults


class NothingThere(RemitError):
    """What was named does not exist, or may not be seen: the two are not told apart."""

    exit_code = 4


class MissingPrerequisite(RemitError):
    """Something to install or to provide first; the message says how."""

    exit_code = 3


class ProviderFailed(RemitError):
    """A model or an engine outside Remit failed."""

    exit_code = 6


class ProviderBusy(ProviderFailed):
    """A model or an engine asked to be tried later."""


class AccessFailed(RemitError):
    """A policy could not come to a verdict. The line turns this into a deny."""

    exit_code = 5


class CorpusDamaged(RemitError):
    """Stored bytes are not what was written; the message says what can be rebuilt."""

    exit_code = 3


class Cancelled(RemitError):
    """The cancel signal was given or the deadline has passed; no model call follows."""


@contextmanager
def boundary(part: str) -> Iterator[None]:
    """Attribute an error that leaves this block to `part`, unless an inner boundary did so already."""
    try:
        yield
    except RemitError as error:
        if error.part is None:
            error.part = part
        raise
    except Exception as error:
        failure = RemitError(f"{part} failed: {type(error).__name__}")
        failure.part = part
        raise failure from error
