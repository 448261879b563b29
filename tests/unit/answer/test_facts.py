"""Words of one family."""

from hypothesis import given
from hypothesis import strategies as st

from remit.answer.facts import among
from remit.contract.irregular import IRREGULAR

WORDS = st.text(alphabet="ab1-é", min_size=1, max_size=7) | st.sampled_from(
    ["sign", "signatur", "signature", "tight", "tighten", "p-101", "torqu", *list(IRREGULAR)[:20]]
)


@given(WORDS, st.frozensets(WORDS, max_size=12))
def test_a_family_is_found_as_by_looking_at_each_word(term, others):
    """A term is among others exactly where one of them is it, a form of it, or begins with it or the other way round."""
    forms = {term, *IRREGULAR.get(term, ())}
    alike = [
        other
        for other in others
        if min(len(term), len(other)) >= 4
        and term.isalpha()
        and other.isalpha()
        and (term.startswith(other) or other.startswith(term))
    ]
    assert bool(forms & others or alike) == among(term, others)
