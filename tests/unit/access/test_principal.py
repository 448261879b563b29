"""Who asks: read from the command line, and compared by groups as they are."""

import pytest
from pydantic import ValidationError

from remit.access.principal import Principal, clean_label, parse_principal
from remit.access.scope import labels_of
from remit.errors import InvalidInput


@pytest.mark.parametrize(
    ("text", "id", "groups"),
    [
        ("mara", "mara", ()),
        ("mara:", "mara", ()),
        (" mara : staff , board,staff,, ", "mara", ("board", "staff")),
        ("mara:e\u0301quipe", "mara", ("équipe",)),
        ("rene\u0301", "ren\u00e9", ()),
        ("mara:a:b", "mara", ("a:b",)),
    ],
)
def test_a_principal_is_read_from_name_and_groups(text, id, groups):
    """Trimmed, in NFC, each group once."""
    found = parse_principal(text)
    assert (id, groups) == (found.id, found.groups)


@pytest.mark.parametrize("text", ["", " ", ":staff", "mara\n:staff", "mara:st\x00aff", "\x1b[2Jmara"])
def test_what_names_nobody_is_refused(text):
    """No name, or control characters in it, is no principal; the message shows how."""
    with pytest.raises(InvalidInput, match="--as"):
        parse_principal(text)


def test_a_principal_needs_a_name():
    """Also where no text is read."""
    with pytest.raises(ValidationError):
        Principal(id=" ")


def test_look_alikes_are_other_groups():
    """Case, letters of another alphabet and invisible ones make another group."""
    twins = ("staff", "Staff", "\u0455taff", "staff\u200b", "\uff53taff")
    assert len(twins) == len({clean_label(twin) for twin in twins})


def test_groups_and_public_are_what_is_held():
    """A wildcard in a token grants nothing."""
    assert frozenset({"public", "staff"}) == labels_of(Principal(id="mara", groups=("staff", "*", "")))
