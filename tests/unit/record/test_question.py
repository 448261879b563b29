"""Questions, and what is said beside them, as they are read."""

from __future__ import annotations

import pytest

from remit.errors import InvalidInput
from remit.record.question import cleaned, cleaned_parameters, cleaned_revision


@pytest.mark.parametrize("name", ["", "  ", "B\x00", "\x1b[2J"])
def test_a_revision_is_named_by_plain_text(name: str) -> None:
    """An empty name and one with a control character are refused before anything is asked; none at all is none."""
    with pytest.raises(InvalidInput, match=r"^the name of the revision (is empty|holds a control character)"):
        cleaned_revision(name)
    assert (cleaned_revision(None), cleaned_revision(" B ")) == (None, "B")


@pytest.mark.parametrize("wrong", ["", "\x00", "word " * 20_000])
def test_what_is_wrong_is_called_by_its_name(wrong: str) -> None:
    """A message about a revision or a parameter says so, and does not speak of the question."""
    for read in (
        cleaned_revision,
        lambda text: cleaned_parameters({"line": text}),
        lambda text: cleaned_parameters({text: "2"}),
    ):
        with pytest.raises(InvalidInput) as raised:
            read(wrong)
        assert "the question" not in str(raised.value)
    with pytest.raises(InvalidInput, match=r"^the question "):
        cleaned(wrong)
