"""Answers are compared as the SQuAD script compares them."""

import pytest

from remit.measure.text import best, exact_match, normalised, token_f1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The cat.", "cat"),
        ("An  apple, a day", "apple day"),
        ("U.S.", "us"),
        ("well-known", "wellknown"),
        ("theatre", "theatre"),
        ("Wilhelm Conrad Röntgen", "wilhelm conrad röntgen"),
        ("“quoted”", "“quoted”"),  # SQuAD strips ASCII punctuation only
        ("", ""),
        ("the a an", ""),
    ],
)
def test_normalised_follows_the_four_rules(text, expected):
    """Small letters, no ASCII punctuation, no articles, single spaces; each in that order."""
    assert expected == normalised(text)


@pytest.mark.parametrize(
    ("given", "golden", "expected"),
    [("the 1969", "1969!", 1.0), ("1969", "1968", 0.0), ("", "the", 1.0)],
)
def test_exact_match_compares_normalised_answers(given, golden, expected):
    """Two answers match where nothing but case, punctuation, articles and spaces differs."""
    assert expected == exact_match(given, golden)


@pytest.mark.parametrize(
    ("given", "golden", "expected"),
    [
        ("1969 until 1974", "1969 until 1974", 1.0),
        ("from 1969 until 1974", "1969", 0.4),  # 1 of 4 and 1 of 1
        ("new york city", "new york", 0.8),  # 2 of 3 and 2 of 2
        ("the the the", "a", 1.0),  # both are nothing
        ("the", "york", 0.0),
        ("york york", "york", 2 / 3),  # a word counts as often as both have it
        ("london", "paris", 0.0),
    ],
)
def test_token_f1_counts_shared_tokens(given, golden, expected):
    """F1 of precision and recall over the multiset of tokens; the arithmetic stands beside each case."""
    assert expected == pytest.approx(token_f1(given, golden))


def test_best_takes_the_most_favourable_golden_answer():
    """The maximum over the golden answers counts, and nothing is gained where there are none."""
    assert (1.0, 0.0) == (best(token_f1, "york", ["london", "York"]), best(token_f1, "york", []))
