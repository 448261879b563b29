import math
from collections import Counter

import bm25s
import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from memory_corpus import MemoryCorpus

from remit.contract.terms import content_terms, terms
from remit.retrieve.lexical import K1, B, Bag, Postings, bag_of, field_text, query_terms

WORDS = st.lists(st.sampled_from(["bolt", "flange", "pump", "seal", "torque", "valve"]), max_size=12)


def bag(words, language="en"):
    """Return the bag of a list of terms."""
    counts = Counter(words)
    return Bag(language, tuple(counts), tuple(counts.values()), counts.total())


def brute_force(query, texts):
    """Return BM25 as its formula is written, one document at a time."""
    documents = [[found.term for found in terms(text)] for text in texts]
    average = sum(map(len, documents)) / len(documents)
    scores = []
    for document in documents:
        score = 0.0
        for term in sorted({found.term for found in content_terms(query) or terms(query)}):
            holding = sum(term in other for other in documents)
            weight = math.log(1 + (len(documents) - holding + 0.5) / (holding + 0.5))
            count = document.count(term)
            score += weight * (count / (count + K1 * (1 - B + B * len(document) / average)))
        scores.append(score)
    return scores


@given(st.lists(WORDS.filter(len), min_size=1, max_size=12), WORDS.filter(len))
def test_scores_are_those_of_bm25s(documents, query):
    """The same tokens score as in bm25s with its Lucene defaults, up to its 32-bit numbers."""
    wanted = sorted(set(query))
    known = sorted({word for document in documents for word in document})
    reference = bm25s.BM25(method="lucene", k1=K1, b=B)
    reference.index(documents, show_progress=False)
    expected = np.zeros(len(documents))
    if asked := [word for word in wanted if word in known]:
        expected = reference.get_scores(asked)
    stems = [[found.term for word in document for found in terms(word)] for document in documents]
    assert np.allclose(expected, Postings([bag(words) for words in stems]).match(" ".join(wanted)).scores, atol=1e-5)


@given(st.lists(WORDS, min_size=1, max_size=12), WORDS)
def test_scores_are_exactly_those_of_the_formula(documents, query):
    """Not a bit lies between the index and a sum written out by hand."""
    corpus = MemoryCorpus()
    for number, words in enumerate(documents):
        corpus.add(f"d{number}", " ".join(words))
    texts = [field_text(row) for row in corpus.rows]
    found = Postings([bag_of(row) for row in corpus.rows]).match(" ".join(query))
    assert brute_force(" ".join(query), texts) == found.scores.tolist()


@given(st.lists(WORDS, min_size=1, max_size=12), WORDS, st.randoms())
def test_the_place_of_a_row_moves_no_bit(documents, query, random):
    """Rows in another order have the same scores."""
    bags = [bag(words) for words in documents]
    order = random.sample(range(len(bags)), len(bags))
    ordered = Postings(bags).match(" ".join(query))
    shuffled = Postings([bags[at] for at in order]).match(" ".join(query))
    assert ordered.scores[order].tolist() == shuffled.scores.tolist()
    assert ordered.shares[order].tolist() == shuffled.shares.tolist()


def test_no_matching_term_scores_zero():
    """A word that no row holds finds none; so does an index without rows."""
    found = Postings([bag(["pump"]), bag([])]).match("turbine")
    assert [0.0, 0.0] == found.scores.tolist()
    assert [0.0, 0.0] == found.shares.tolist()
    assert [] == Postings([]).match("pump").scores.tolist()
    assert [0.0] == Postings([bag([])]).match("pump").scores.tolist()


def test_shares_lie_between_nothing_and_everything():
    """A share never reaches 1, and is small where the rows lack most words of the query."""
    postings = Postings([bag(["pump"] * 50), bag(["seal"])])
    assert 0.5 < postings.match("pump").shares[0] < 1
    assert postings.match("pump turbine gearbox rotor").shares[0] < postings.match("pump").shares[0] / 2


def test_function_words_do_not_find_anything_beside_others():
    """A question is looked up by what it asks for; one of function words alone by these."""
    assert ("seal",) == query_terms("what is the seal of it", "en")
    assert ("be", "not", "or", "to") == query_terms("to be or not to be", "en")


def test_each_row_is_matched_in_its_own_language():
    """A German row is found by German stems, an English row by English ones, from one query."""
    corpus = MemoryCorpus().add("de", "Die Dichtungen der Pumpen", language="de-AT").add("en", "The seals of pumps")
    postings = Postings([bag_of(row) for row in corpus.rows])
    assert [True, False] == (postings.match("Dichtung").scores > 0).tolist()
    assert [False, True] == (postings.match("seal").scores > 0).tolist()


def test_title_and_headings_are_searched():
    """A row is found by the title of its document and by the headings above it."""
    corpus = MemoryCorpus().add("x", "Close the valve.", title="Boiler manual", section=("Shutdown",))
    postings = Postings([bag_of(row) for row in corpus.rows])
    assert all(postings.match(word).scores[0] > 0 for word in ("boiler", "shutdown", "valve"))


def test_chinese_and_korean_words_find_sentences():
    """A word of a script without spaces finds the sentence it stands in."""
    corpus = MemoryCorpus().add("zh", "低头思故乡", language="zh").add("ko", "서울에서 만나요", language="ko")
    postings = Postings([bag_of(row) for row in corpus.rows])
    assert [True, False] == (postings.match("故乡").scores > 0).tolist()
    assert [False, True] == (postings.match("서울").scores > 0).tolist()
