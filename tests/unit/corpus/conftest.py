"""Files written and read in one go."""

from __future__ import annotations

import pytest
from desk import Desk

from remit.corpus.readers import read_file
from remit.corpus.split import split
from remit.errors import InvalidInput


class Shown:
    """What was read of a file, as passages."""

    def __init__(self, reading):
        self.reading = reading
        parts = split(reading.text, reading.layout, reading.rows, reading.outline)
        self.title = parts.title
        self.sections = [(piece.section, reading.text[piece.start : piece.end]) for piece in parts.pieces]
        self.sentences = [reading.text[s.start : s.end] for piece in parts.pieces for s in piece.sentences]
        self.told = [(fault.line, fault.error) for fault in reading.warnings]
        self.words = " ".join(reading.text.split())


@pytest.fixture
def shown(tmp_path):
    """Return what reads bytes under a name."""

    def read(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return Shown(read_file(path, name, 20))

    return read


@pytest.fixture
def wrong(shown):
    """Return what gives the faults of a file that cannot be used."""

    def read(name, content):
        with pytest.raises(InvalidInput) as caught:
            shown(name, content)
        return caught.value.faults

    return read


@pytest.fixture
def desk(tmp_path):
    """Return a desk, and close its store after the test."""
    desk = Desk(tmp_path)
    yield desk
    desk.corpus.close()
