"""Invariant 4: any text gives a Plan or a PlanError; and what a plan writes of itself reads back."""

from dataclasses import fields

from hypothesis import given, settings
from hypothesis import strategies as st

from remit.repair.check import Holds, PlanError, Wrong, check, result_of
from remit.repair.check import given as given_names
from remit.repair.ops import OPERATIONS, DecomposeQuery, GenerateAnswer, Ref, RefineDoc, Retrieval, RewriteQuery
from remit.repair.parse import parse
from remit.repair.plan import MAX_STEPS, Plan, Step
from remit.testing.plan_texts import in_json

PIECES = [
    *OPERATIONS, "question", "doc_list", "previous_pred", "final_answer", "docs", "q", "=", "(", ")", "[", "]", ",", "\n",
    "\n", " ", "0", "5", "-1", "True", "None", '"', "'", '"a"', "topk=", "docs=", "clarify", '"clarify"', "lambda: ", "f'{",
    "*", "**", ".", "__class__", ":=", "if ", "for x in ", "import os", "```", "```python\n", "\\", "\\x", "\ud800", "\uff32", "#",
    "{", "}", '{"ref": "question"}', '"name": ', '"operation": ', "final_answer = GenerateAnswer(question, doc_list)",
]  # fmt: skip
TEXTS = st.one_of(
    st.text(max_size=300),
    st.lists(st.sampled_from(PIECES), max_size=40).map("".join),
    st.binary(max_size=200).map(lambda raw: raw.decode("utf-8", "surrogateescape")),
)


def words(*, least=1):
    """Return texts that a plan may hold."""
    letters = st.characters(exclude_categories=("Cc", "Cs"), include_characters="\n\t")
    return st.text(letters, min_size=least, max_size=30).filter(str.strip)


@st.composite
def plans(draw):
    """Draw a plan that `check` accepts."""
    bound, steps = given_names(), []
    for number in range(draw(st.integers(0, 5) | st.just(MAX_STEPS - 1))):
        operation = draw(operations(bound))
        name = draw(st.sampled_from(["docs", "q", "sub", "answer", "X"])) + str(number)
        steps.append(Step(name, operation))
        bound[name] = result_of(operation)
    last = draw(answers(bound))
    return Plan((*steps, Step("final_answer", last)))


def queries(bound, *, several=False):
    """Return values for one query."""
    texts = [Ref(name) for name, holds in bound.items() if holds is Holds.TEXT or (several and holds is Holds.QUERIES)]
    lists = [name for name, holds in bound.items() if holds is Holds.QUERIES]
    picked = st.builds(Ref, st.sampled_from(lists), st.integers(0, 44)) if lists else st.nothing()
    return st.one_of(words(), st.sampled_from(texts), picked)


def documents(bound):
    """Return values for passages: a name, an item, lists up to three deep."""
    names = [name for name, holds in bound.items() if holds is Holds.DOCS]
    one = st.builds(Ref, st.sampled_from(names), st.none() | st.integers(0, 44))
    flat = st.lists(one, min_size=1, max_size=3).map(tuple)
    nested = st.lists(one | flat, min_size=1, max_size=3).map(tuple)
    return st.one_of(one, flat, nested, nested.map(lambda inner: (inner, inner)))


def answers(bound):
    """Return a GenerateAnswer."""
    return st.builds(GenerateAnswer, queries(bound), documents(bound), st.none() | words())


def operations(bound):
    """Return any operation over the names that stand."""
    query = queries(bound)
    return st.one_of(
        st.builds(RewriteQuery, query, st.sampled_from(["clarify", "expand"])),
        st.builds(DecomposeQuery, query),
        st.builds(
            Retrieval,
            queries(bound, several=True),
            st.integers(1, 45),
            st.none() | words(),
            st.sampled_from([None, "current"]),
            st.sampled_from([None, "parent"]),
        ),
        st.builds(RefineDoc, query, documents(bound), st.sampled_from(["explain", "summarize"])),
        answers(bound),
    )


@given(TEXTS)
@settings(max_examples=300)
def test_any_text_gives_a_plan_or_an_error_value(text):
    """No exception leaves the parser, and a plan that comes out is one that `check` accepts."""
    found = parse(text)
    assert isinstance(found, Plan | PlanError)
    if isinstance(found, Plan):
        assert check(found) is None
        assert found == parse(found.text)


@given(plans())
@settings(max_examples=40)
def test_any_plan_reads_back_from_both_notations(plan):
    """Text and JSON give the plan again, unless it is longer than plans may be."""
    flaw = check(plan)
    if flaw is not None:
        assert Wrong.TOO_LONG is flaw.kind
        assert Wrong.TOO_LONG is parse(plan.text).kind
        return
    assert plan == parse(plan.text)
    assert plan == parse(f"Well, that's it:\n```python\n{plan.text}\n```\n")
    if len(listed := in_json(plan)) <= 4_000:
        assert plan == parse(listed)


@given(plans(), st.data())
@settings(max_examples=40)
def test_a_damaged_plan_is_a_plan_or_an_error_value(plan, data):
    """Cutting a piece out of a good plan, or putting one in, never breaks the parser."""
    text = plan.text
    at = data.draw(st.integers(0, len(text)))
    upto = data.draw(st.integers(at, min(at + 10, len(text))))
    found = parse(text[:at] + data.draw(st.sampled_from(["", *PIECES])) + text[upto:])
    assert isinstance(found, Plan | PlanError)


@given(plans(), st.lists(st.text(max_size=5), max_size=4), st.text(max_size=5))
@settings(max_examples=40)
def test_renaming_results_keeps_the_fingerprint(plan, passages, snapshot):
    """What a result is called does not matter to what a plan does."""
    names = {step.name: f"n{n}" for n, step in enumerate(plan.steps[:-1])}

    def renamed(part):
        if isinstance(part, Ref):
            return Ref(names.get(part.name, part.name), part.item)
        return tuple(renamed(one) for one in part) if isinstance(part, tuple) else part

    steps = tuple(
        Step(
            names.get(step.name, step.name),
            type(step.operation)(*(renamed(getattr(step.operation, f.name)) for f in fields(step.operation))),
        )
        for step in plan.steps
    )
    assert plan.fingerprint(tuple(passages), snapshot) == Plan(steps).fingerprint(tuple(passages), snapshot)
    assert plan.fingerprint(tuple(passages), snapshot) != plan.fingerprint((*passages, "one more"), snapshot)
    assert plan.fingerprint(tuple(passages), snapshot) != plan.fingerprint(tuple(passages), snapshot + "x")
