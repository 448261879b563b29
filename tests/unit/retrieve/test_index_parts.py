from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from remit.corpus.quantise import quantise
from remit.errors import CorpusDamaged
from remit.retrieve import scoring
from remit.retrieve.body import Body, Chosen
from remit.retrieve.building import Run, part_of
from remit.retrieve.dense import BLOCK, dots, exact_type, widened_dots
from remit.retrieve.fuse import best, leading
from remit.retrieve.lexical import Bag, Postings
from remit.retrieve.merging import Source, merge, merged
from remit.retrieve.segment import read, write

WORDS = st.lists(st.sampled_from(["a", "b", "c", "故乡", "\ud800"]), max_size=8)
RUNS = st.lists(
    st.tuples(st.sampled_from(["en", "de", ""]), st.lists(WORDS, min_size=1, max_size=3)), min_size=1, max_size=8
)


def runs_of(given_runs):
    """Return runs with a random vector for each passage."""
    chance, key = np.random.default_rng(1), 0
    runs = []
    for number, (language, texts) in enumerate(given_runs):
        vectors = quantise(chance.standard_normal((len(texts), 8)).astype(np.float32))
        runs.append(Run(90 - number, language, range(key, key + len(texts)), texts, vectors))
        key += len(texts)
    return runs


def contents(part):
    """Return all that a part says, run by run."""
    said = {}
    words = [part.word(at).decode("utf-8", "surrogatepass").split("\0") for at in range(len(part.arrays["word_ends"]))]
    held = {(language, term): part.term(language, term) for language, term in words}
    for at, run in enumerate(part.runs.tolist()):
        rows = range(part.starts[at], part.starts[at + 1])
        terms = [
            {
                key: int(count)
                for key, one in held.items()
                for row, count in zip(one.rows, one.counts(), strict=True)
                if row == wanted
            }
            for wanted in rows
        ]
        vectors = part.vectors[rows.start : rows.stop].tolist(), part.scales[rows.start : rows.stop].tolist()
        said[run] = (part.languages[part.spoken[at]], part.keys[rows.start : rows.stop].tolist(), terms, vectors)
    return said


@given(RUNS)
def test_a_part_holds_what_was_put_in(given_runs):
    """Each term with its count in each row, each key, each vector; and the terms in order."""
    runs = runs_of(given_runs)
    said = contents(part_of(runs, 8))
    for run in runs:
        language, keys, terms, (values, scales) = said[run.key]
        assert (run.language, list(run.passages)) == (language, keys)
        assert [{(language, term): n for term, n in Counter(text).items()} for text in run.terms] == terms
        assert (run.vectors.values.tolist(), run.vectors.scales.tolist()) == (values, scales)


@given(RUNS, st.data())
def test_merging_keeps_what_is_kept_and_nothing_else(given_runs, data):
    """Several parts become one that says the same of the runs that stay, in memory as on disk."""
    runs = runs_of(given_runs)
    cut = data.draw(st.integers(0, len(runs)))
    parts = [part_of(some, 8) for some in (runs[:cut], runs[cut:])]
    kept = [data.draw(st.sets(st.sampled_from(range(len(p.runs))))) if len(p.runs) else set() for p in parts]
    whole = merged([Source(part, np.array(sorted(at), dtype=np.int64)) for part, at in zip(parts, kept, strict=True)])
    expected = {run: said for part in parts for run, said in contents(part).items()}
    staying = {int(part.runs[at]) for part, places in zip(parts, kept, strict=True) for at in places}
    assert {run: said for run, said in expected.items() if run in staying} == contents(whole)
    assert all(
        whole.term(*whole.word(at).decode("utf-8", "surrogatepass").split("\0")).rows.size
        for at in range(len(whole.arrays["word_ends"]))
    )


@given(RUNS, st.lists(st.sampled_from(["a", "b", "c", "d", "故乡"]), max_size=4, unique=True), st.data())
def test_a_body_scores_as_postings_do(given_runs, asked, data):
    """Any rows of any parts have the scores and shares of an index made of them alone, to the last bit."""
    runs = runs_of(given_runs)
    cut = data.draw(st.integers(0, len(runs)))
    chosen, bags = [], []
    for some in (runs[:cut], runs[cut:]):
        part = part_of(some, 8)
        rows = [Bag(r.language, tuple(Counter(t)), tuple(Counter(t).values()), len(t)) for r in some for t in r.terms]
        picked = sorted(data.draw(st.sets(st.sampled_from(range(len(rows)))))) if rows else []
        chosen.append(Chosen(part, None if len(picked) == part.size else np.array(picked, dtype=np.int64)))
        bags += [rows[at] for at in picked]
    query = " ".join(asked)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scoring, "STRETCH", data.draw(st.sampled_from([1, 2, 5, scoring.STRETCH])))
        expected, found = Postings(bags).match(query), Body(chosen).match(query)
    assert expected.scores.tolist() == found.scores.tolist()
    assert expected.shares.tolist() == found.shares.tolist()


@pytest.mark.parametrize("count", [254, 255, 256, 70_000])
def test_a_count_of_any_size_is_kept(tmp_path, count):
    """What does not fit into a byte stands apart, in memory, on disk and after a merge."""
    vectors = quantise(np.ones((3, 2), dtype=np.float32))
    part = part_of([Run(1, "en", [7, 8, 9], [["a"], ["a"] * count + ["b"] * 300, ["a", "b"]], vectors)], 2)
    stored = read(tmp_path, write(part, tmp_path))
    again = read(tmp_path, merge([Source(stored, np.array([0]))], tmp_path))
    for one in (part, stored, again):
        assert [1.0, float(count), 1.0] == one.term("en", "a").counts().tolist()
        assert [float(count), 1.0] == one.term("en", "a").between(1, 3).counts().tolist()
        assert [300.0] == one.term("en", "b").between(0, 1).counts().tolist()


def test_a_segment_of_another_name_is_refused(tmp_path):
    """The name is the digest of the content: a file renamed, or taken from another store under that name, is damaged."""
    vectors = quantise(np.ones((1, 2), dtype=np.float32))
    name = write(part_of([Run(1, "en", [7], [["a"]], vectors)], 2), tmp_path)
    other = "0" * 64
    (tmp_path / f"{name}.seg").rename(tmp_path / f"{other}.seg")
    with pytest.raises(CorpusDamaged, match="table of contents"):
        read(tmp_path, other)
    with pytest.raises(CorpusDamaged, match="cannot be read"):
        read(tmp_path, name)


@given(st.integers(0, 99), st.sampled_from([1, 8, 384, 1536]), st.sampled_from([0, 1, 70, BLOCK - 1, BLOCK, BLOCK + 1]))
def test_dots_are_exact_whatever_computes_them(seed, dimension, count):
    """The products are those of whole numbers; numkong, where it is installed, and numpy agree."""
    chance = np.random.default_rng(seed)
    rows = chance.integers(-127, 128, (count, dimension)).astype(np.int8)
    asked = chance.integers(-127, 128, dimension).astype(np.int8)
    expected = [sum(int(a) * int(b) for a, b in zip(row, asked, strict=True)) for row in rows[:5]]
    assert expected == dots(rows, asked)[:5].tolist()
    plain = rows.astype(exact_type(dimension)) @ asked.astype(exact_type(dimension))
    assert plain.astype(np.float64).tolist() == dots(rows, asked).tolist() == widened_dots(rows, asked).tolist()


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0, float("nan"), -1.0]), max_size=120), st.integers(-1, 130))
def test_the_leading_rows_hold_the_best(values, k):
    """All of the k best and whoever ties with the last are among them, and no row that was not found."""
    scores = np.array(values, dtype=np.float64)
    found = sorted((value for value in values if not np.isnan(value)), reverse=True)
    least = found[min(k, len(found)) - 1] if k > 0 and found else 2.0
    assert [at for at, value in enumerate(values) if value >= least] == sorted(leading(scores, k).tolist())
    ids = [f"{at:03}" for at in range(len(values))]
    assert found[: max(k, 0)] == scores[best(scores, ids, k)].tolist()
