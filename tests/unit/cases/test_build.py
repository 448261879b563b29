"""Cases built from a store and a question set."""

from __future__ import annotations

import json
from datetime import date

import numpy as np
import pytest
from hashing import HashingEmbed
from shelf import NOW

from remit.access.principal import parse_principal
from remit.cases.build import SHARES, build_cases
from remit.cases.case import Case, read_cases, write_cases
from remit.cases.questions import Question, grouped, read_questions
from remit.cases.swap import sort_of, swap_for
from remit.cases.transform import TRANSFORMS, WITHHELD
from remit.cases.variant import STORE, holding, make_variant
from remit.corpus.ingest import ingest
from remit.corpus.sqlite import SqliteCorpus
from remit.corpus.stated import Stated
from remit.decide.decision import Action
from remit.engine import Remit
from remit.errors import InvalidInput
from remit.settings import Settings

EMBED = HashingEmbed()
TOWNS = ("Arden", "Bryn", "Corve", "Dunmere", "Elham", "Fenby", "Garth", "Holme", "Ingle", "Jarrow", "Kelso", "Lorne")


@pytest.fixture
def base(tmp_path):
    """A store of one document a town, each with its own year."""
    lines = [
        {
            "document": f"T{n}",
            "title": f"{town} bridge",
            "text": f"The stone bridge of {town} was opened in {1801 + 7 * n}. It carries the road to the mill.",
        }
        for n, town in enumerate(TOWNS)
    ]
    file = tmp_path / "towns.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    with SqliteCorpus.open(tmp_path / "base", create=True) as corpus:
        done = ingest([file], corpus, EMBED, now=NOW, fill=Stated(labels=frozenset({"public"}), status="current"))
        assert len(TOWNS) == done.revisions
    return tmp_path / "base"


def asked(count: int = len(TOWNS)) -> list[Question]:
    """One question a town."""
    return [
        Question(
            f"q{n}", f"When was the stone bridge of {town} opened?", (str(1801 + 7 * n),), (f"T{n}",), "dev", "eva"
        )
        for n, town in enumerate(TOWNS[:count])
    ]


def documents(store):
    """Return what holds in a store."""
    with SqliteCorpus.open(store) as corpus:
        return holding(corpus, at=NOW.date())


def test_the_same_seed_builds_the_same_cases_and_another_one_others(base) -> None:
    """Cases and changes follow from documents, questions and seed alone, whatever the order of the questions."""
    held = documents(base)
    first, again = (build_cases(held, questions, seed=3) for questions in (asked(), asked()[::-1]))
    other = build_cases(held, asked(), seed=4)
    assert first == again
    assert [case.kind for case in first.cases] != [case.kind for case in other.cases]


@pytest.mark.parametrize("kind", sorted(SHARES))
def test_every_kind_can_be_built_and_stored(base, tmp_path, kind: str) -> None:
    """Each kind gives cases with an acceptable action, and its changes go into a copy; the store itself stays as it was."""
    before = documents(base)
    made = build_cases(before, asked(), seed=1, shares={kind: 1})
    assert {kind} == {case.kind for case in made.cases}
    assert all(case.acceptable and case.group for case in made.cases)
    make_variant(base, tmp_path / "out", made.changes, EMBED, now=NOW)
    after = documents(tmp_path / "out" / STORE)
    assert before == documents(base)
    assert (kind == "answerable") == (before == after)


def test_gold_is_gone_where_evidence_was_taken_away(base, tmp_path) -> None:
    """An incomplete case leaves no document that holds its answer."""
    made = build_cases(documents(base), asked(), seed=1, shares={"incomplete": 1, "answerable": 1})
    make_variant(base, tmp_path / "out", made.changes, EMBED, now=NOW)
    left = " ".join(one.text for one in documents(tmp_path / "out" / STORE).values())
    assert all((case.golden_answers[0] in left) is (case.kind == "answerable") for case in made.cases)


def test_what_is_withheld_is_readable_for_no_asker(base, tmp_path) -> None:
    """The evidence of denied and hidden cases lies outside every asker's scope; a denied question is denied."""
    made = build_cases(documents(base), asked(), seed=1, shares={"denied": 1})
    make_variant(base, tmp_path / "out", made.changes, EMBED, now=NOW)
    assert {frozenset({WITHHELD})} == {one.revision.labels for one in documents(tmp_path / "out" / STORE).values()}
    remit = Remit(tmp_path / "out" / STORE, Settings(), SqliteCorpus.open(tmp_path / "out" / STORE), now=lambda: NOW)
    remit.parts.encoder = EMBED
    with remit:
        done = remit.ask(made.cases[0].question, principal=parse_principal(made.cases[0].asker))
    assert Action.DENY == done.outcome.decision.action


def test_a_stale_case_wants_the_replacement(base, tmp_path) -> None:
    """The new revision holds another value, that value is golden, and the old revision is superseded."""
    made = build_cases(documents(base), asked(), seed=1, shares={"stale": 1})
    make_variant(base, tmp_path / "out", made.changes, EMBED, now=NOW)
    held = documents(tmp_path / "out" / STORE)
    for case in made.cases:
        one = held[case.gold_documents[0].partition("@")[0]]
        assert (one.revision.id, True) == (case.gold_documents[0], case.golden_answers[0] in one.text)


def test_questions_that_hang_together_are_one_group() -> None:
    """Shared documents, shared titles, the same terms and a declared group join questions; nothing else does."""
    row = [
        Question("a", "Who built the old mill of Arden?", ("x",), ("D1",), "p", "e"),
        Question("b", "Whose idea was it?", ("x",), ("D1", "D2"), "p", "e"),
        Question("c", "The old mill of Arden: who built it?", ("x",), ("D3",), "p", "e"),
        Question("d", "What else?", ("x",), ("D4",), "p", "e"),
        Question("e", "And what of the river?", ("x",), ("D5",), "p", "e", "mine"),
        Question("f", "And of the sea?", ("x",), ("D6",), "p", "e", "mine"),
    ]
    groups = grouped(row, {"D3": "Mills", "D4": "mills"})
    assert {"a": ["a", "b", "c", "d"], "e": ["e", "f"]} == {name: [q.id for q in held] for name, held in groups.items()}


def test_a_question_without_its_evidence_is_left_out_and_counted(base) -> None:
    """What cannot be built is told, never guessed."""
    nowhere = Question("z", "Where?", ("x",), ("T99",), "p", "e")
    made = build_cases(documents(base), [*asked(2), nowhere], seed=1)
    assert (2, [1]) == (len(made.cases), list(made.left_out.values()))


@pytest.mark.parametrize(
    ("answer", "sort"),
    [
        ("1987", "year"),
        ("October 5, 1987", "date"),
        ("3,000", "number"),
        ("Ada of Arden", "name"),
        ("the red one", "words"),
    ],
)
def test_answers_are_sorted_by_what_may_take_their_place(answer: str, sort: str) -> None:
    """A year is replaced by a year, a name by a name."""
    assert sort == sort_of(answer)


def test_a_swap_changes_the_answer_and_never_what_the_question_says() -> None:
    """The other answer is of the same sort and stands nowhere yet; an answer that the question holds is not swapped."""
    text, pool = "It was built by Ada Byron in 1815.", ["Jo Marsh", "1844", "Ada Lovelace"]
    swap = swap_for(text, ["Ada Byron"], "Who built it?", pool=pool, chance=np.random.default_rng(1))
    assert "It was built by Jo Marsh in 1815." == swap.of(text)
    assert None is swap_for(text, ["Ada Byron"], "Was it Ada Byron?", pool=pool, chance=np.random.default_rng(1))


def test_cases_come_back_as_they_were_written(tmp_path) -> None:
    """A case file is read as it was written; the sample corpus's own questions are cases too."""
    case = Case(id="1", question="What?", acceptable=(Action.ANSWER,), as_of=date(2026, 1, 2), params={"line": "2"})
    write_cases(tmp_path / "cases.jsonl", [case])
    assert (case,) == read_cases(tmp_path / "cases.jsonl")


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ('{"id": "1", "question": "?", "acceptable": ["answer"]}\n{"id": "2"', "2: is no JSON"),
        ('\n{"id": "1", "question": "?", "acceptable": ["shrug"]}', "2: acceptable"),
        ('{"id": "1", "question": "?", "acceptable": []}', "1: acceptable"),
        ('{"id": "1", "question": "?", "acceptable": ["deny"], "extra": 1}', "1: extra"),
        ("", "holds no case"),
    ],
)
def test_a_case_that_cannot_be_used_names_its_line(tmp_path, lines: str, told: str) -> None:
    """Nothing is skipped: the fault names file, line and field."""
    (tmp_path / "cases.jsonl").write_text(lines, encoding="utf-8")
    with pytest.raises(InvalidInput, match=told):
        read_cases(tmp_path / "cases.jsonl")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ({"id": "1", "question": " ", "golden_answers": ["x"], "gold_documents": ["D"]}, "1: question"),
        ({"id": "1", "question": "?", "golden_answers": "x", "gold_documents": ["D"]}, "1: golden_answers"),
        ({"id": "1", "question": "?", "golden_answers": ["x"], "gold_documents": "D"}, "1: gold_documents"),
        ({"id": "1", "question": "?", "golden_answers": ["x"]}, "no line names the documents"),
    ],
)
def test_a_question_that_cannot_be_used_names_its_line(tmp_path, line: dict, told: str) -> None:
    """A question set says where its answers stand, or is refused."""
    (tmp_path / "q.jsonl").write_text(json.dumps(line), encoding="utf-8")
    with pytest.raises(InvalidInput, match=told):
        read_questions(tmp_path / "q.jsonl", asker="e")


def test_all_kinds_have_a_share() -> None:
    """No kind is left out of what is built unless told."""
    assert set(TRANSFORMS) == set(SHARES)


SWAPPED = ("conflicting", "stale", "unlabelled-revision", "conflicting-metadata", "ambiguous", "parameter-given")


@pytest.mark.parametrize("kind", SWAPPED)
@pytest.mark.parametrize("why", ["named", "twice"])
def test_an_answer_that_cannot_be_contradicted_is_left_as_it_is(base, kind: str, why: str) -> None:
    """Where the question names the answer, or two gold documents hold it, another value in one of them contradicts nothing."""
    year, held = "1801", documents(base)
    question = f"Was the stone bridge of Arden opened in {year}?" if why == "named" else "When was the bridge opened?"
    gold = ("T0",) if why == "named" else ("T0", "T1")
    if why == "twice":
        held["T1"] = held["T1"]._replace(text=f"{held['T1'].text} The one of Arden was opened in {year}.")
    asks = [Question("q", question, (year,), gold, "dev", "eva")]
    assert ["answerable"] == [case.kind for case in build_cases(held, asks, seed=1, shares={kind: 1}).cases]
