"""On which key two statements apply to different things."""

from __future__ import annotations

import pytest
from by_words import weighed
from written import asked, hit, ranked, revision

from remit.observe.openkey import key_between


@pytest.mark.parametrize(
    ("one", "other", "asked_back"),
    [
        ("Leave for nurses", "Leave for pilots", True),
        ("Panadrex 500 mg tablets, leaflet", "Ibudor 500 mg tablets, leaflet", True),
        ("Wind limits of the Merle", "Wind limits of the Amsel", True),
        ("Wind limits", "Harbour order on wind", False),
        ("Order on wind", "Wind order", False),
        ("The limits", "The order", False),
    ],
)
def test_titles_are_asked_back_only_where_they_name_cases_of_one_kind(one: str, other: str, asked_back: bool) -> None:
    """Two rules whose titles are the same around a few words are for two cases; two rules on one thing contradict each other."""
    texts = [
        hit(revision("D-1", title=one), "Sailings are cancelled from 17 m/s."),
        hit(revision("D-2", title=other), "Sailings are cancelled from 15 m/s."),
    ]
    contract = asked("At which speed are sailings cancelled?")
    first, second = weighed(contract, ranked(*texts))
    key = key_between(contract, first, second)
    assert asked_back == (key is not None)
    assert key is None or ("document", False) == (key.name, key.fixed)
