"""Questions, and what is said beside them, as they are read."""

from __future__ import annotations

import pytest

from remit.errors import InvalidInput
from remit.record.question import cleaned_revision


@pytest.mark.parametrize("name", ["", "  ", "B\x00", "\x1b[2J"])
def test_a_revision_is_named_by_plain_text(name: str) -> None:
    """An empty name and one with a control character are refused before anything is asked; none at all is none."""
    with pytest.raises(InvalidInput, match="the name of the revision is wrong"):
        cleaned_revision(name)
    assert (cleaned_revision(None), cleaned_revision(" B ")) == (None, "B")
