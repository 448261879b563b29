import unicodedata
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remit.contract.stopwords import STOPWORDS
from remit.contract.terms import SNOWBALL, Term, codes, content_terms, term_set, terms


def words(text: str, language: str = "en") -> list[str]:
    """Return the terms without their offsets."""
    return [found.term for found in terms(text, language)]


def test_words_are_folded_and_stemmed_by_language() -> None:
    """Forms of a word meet in one term, in the language of the text."""
    assert words("Pumps pumped PUMPING") == ["pump"] * 3
    assert words("Pumpen", "de") == words("Pumpe", "de")
    assert words("changements", "fr") == words("changement", "fr")
    assert words("Pumps", "xx") == ["pumps"]
    assert words("Pumps", "en-GB") == ["pump"]


@pytest.mark.parametrize(
    ("query", "text"), [("故乡", "低头思故乡"), ("서울", "서울에서 만나요"), ("トルク", "締付けトルクは")]
)
def test_scripts_without_spaces_match_inside_a_sentence(query: str, text: str) -> None:
    """A Chinese, Korean or Japanese word is found inside running text."""
    assert term_set(query) <= term_set(text)


def test_a_single_character_is_a_term() -> None:
    """A one-character word of a script without spaces is found too."""
    assert "乡" in term_set("故乡")


def test_composed_and_decomposed_text_give_the_same_terms() -> None:
    """How accents, Hangul or kana are stored does not decide whether they match."""
    for text in ("Café Zürich", "서울", "ガス"):
        assert words(unicodedata.normalize("NFD", text)) == words(unicodedata.normalize("NFC", text))
    assert words("ｶﾞｽ") == words("ガス")


def test_numbers_keep_their_value() -> None:
    """Grouping marks go, decimals stay, in the manner of the language."""
    assert words("45 3.5 1,200 1,200.50 10.0.0.1") == ["45", "3.5", "1200", "1200.50", "10.0.0.1"]
    assert words("3,5 1.200 1.200,5", "de") == ["3.5", "1200", "1200.5"]
    assert words("rows 1,2") == ["row", "1", "2"]
    assert words("1½ and 5²") == ["1", "1/2", "1", "2", "and", "5", "2"]
    assert words("٤٥", "ar") == ["45"]


@pytest.mark.parametrize("text", ["2026-03-01", "2026/03/01", "01.03.2026", "1.3.2026"])
def test_a_date_is_one_term(text: str) -> None:
    """A numeric date that can be read in one way only is its ISO form, and nothing else."""
    assert words(text) == ["2026-03-01"]


def test_a_time_behind_a_date_leaves_the_date_whole() -> None:
    """A timestamp is found by its day."""
    assert "2026-03-01" in words("2026-03-01T08:00")


def test_codes_come_whole_and_in_parts() -> None:
    """A part code is found as it is written and by what it is made of."""
    assert words("P-101/B") == ["p-101/b", "p", "101", "b"]
    assert words("PR-114") == ["pr-114", "pr", "114"]
    assert words("M12") == ["m12", "m", "12"]
    assert words("6205-2RS") == ["6205-2rs", "6205", "2rs", "2", "rs"]
    assert words("lock-outs") == ["lock-outs", "lock", "out"]
    assert words("P\u2011101") == words("P-101")
    assert words("a1" * 32) == ["a1" * 32]


def test_each_part_has_its_own_offsets() -> None:
    """Whole and parts point to what they stand for."""
    assert terms("x P-101") == [Term("x", 0, 1), Term("p-101", 2, 7), Term("p", 2, 3), Term("101", 4, 7)]


def test_offsets_are_those_of_the_text_as_given() -> None:
    """Where normalisation changes lengths, offsets still count the code points given."""
    text = "ﬁt Straße cafe\u0301 shut\u00addown ℃ x"
    found = {found.term: text[found.start : found.end] for found in terms(text)}
    assert {"fit": "ﬁt", "café": "cafe\u0301", "shutdown": "shut\u00addown", "x": "x"}.items() <= found.items()


def test_the_possessive_is_no_term() -> None:
    """English ``'s`` adds nothing, with either apostrophe."""
    assert words("pump's") == words("pump\u2019s") == ["pump"]


def test_content_terms_leave_out_function_words_only() -> None:
    """What a question asks about is what remains."""
    assert [found.term for found in content_terms("What is the torque for the M12?")] == ["torqu", "m12", "m", "12"]
    assert [found.term for found in content_terms("Quel est le couple de l'écrou ?", "fr")] == words(
        "couple écrou", "fr"
    )
    assert [found.term for found in content_terms("the of", "xx")] == ["the", "of"]


def test_codes_are_identifiers_and_no_measures() -> None:
    """Only what names a thing counts as a code: once each, as written, case folded."""
    text = "PR-114, p-101/b and 6205-2RS in 10-day steps of 45kg since mid-2026 at 5 km/h; see M12, PR-114."
    assert codes(text) == ("pr-114", "p-101/b", "6205-2rs", "m12")
    assert set(codes(text)) <= term_set(text)


def test_stopwords_are_written_as_they_are_compared() -> None:
    """A function word with capitals or decomposed accents would never be found."""
    for listed in STOPWORDS.values():
        assert all(word == unicodedata.normalize("NFKC", word).casefold() for word in listed)


def test_threads_share_the_stemmers() -> None:
    """Terms made at the same time in many threads are those made one after another."""
    texts = [f"{stem}{tail}" for stem in ("torqu", "relat", "conflat") for tail in ("ing", "ional", "ed", "es")] * 50
    alone = [words(text) for text in texts]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(words, texts)) == alone


@given(st.text(), st.sampled_from([*sorted(SNOWBALL), "zh", ""]))
def test_any_text_gives_terms_with_offsets_inside_it(text: str, language: str) -> None:
    """No text breaks it; spans are not empty, lie inside the text and start in order."""
    found = terms(text, language)
    assert all(0 <= one.start < one.end <= len(text) and one.term.strip() for one in found)
    assert [one.start for one in found] == sorted(one.start for one in found)


@given(st.text())
def test_normal_forms_of_any_text_give_the_same_terms(text: str) -> None:
    """Documents are stored as NFC; a query in any canonical form finds them."""
    assert words(unicodedata.normalize("NFD", text)) == words(unicodedata.normalize("NFC", text))


@given(st.text(alphabet="aP1 0-/.,'"), st.text(alphabet="aP1 0-/.,'"))
def test_a_term_does_not_depend_on_the_next_sentence(one: str, other: str) -> None:
    """Texts parted by a line have the terms of both."""
    assert words(f"{one}\n{other}") == words(one) + words(other)
