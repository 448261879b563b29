"""The plan parser: what it reads, what it turns away, and that it does nothing else."""

import threading
import time
import warnings

import pytest

from remit.contract.budget import Budget, Cost, Limits
from remit.repair.check import check
from remit.repair.ops import DecomposeQuery, GenerateAnswer, Ref, RefineDoc, Retrieval, RewriteQuery
from remit.repair.parse import PlanError, Wrong, parse
from remit.repair.plan import Plan, Step

END = "final_answer = GenerateAnswer(question, doc_list)"
QUESTION, IN_USE = Ref("question"), Ref("doc_list")
SMALL = Plan(
    (
        Step("docs", Retrieval(QUESTION, 5)),
        Step("final_answer", GenerateAnswer(QUESTION, (Ref("docs"), IN_USE))),
    )
)
EVERY = Plan(
    (
        Step("q", RewriteQuery(QUESTION, "clarify")),
        Step("sub", DecomposeQuery(Ref("q", 0))),
        Step("docs", Retrieval(Ref("sub"), 45, collection="engineering", revision="current", section="parent")),
        Step("short", RefineDoc(QUESTION, (Ref("docs", 0), (Ref("docs", 44), (IN_USE,))), "summarize")),
        Step("middle", GenerateAnswer('a "quoted" \\d text\nof 温度 ✓', Ref("short"))),
        Step("final_answer", GenerateAnswer(Ref("middle"), Ref("short"), "be brief")),
    )
)


@pytest.mark.parametrize("plan", [SMALL, EVERY])
def test_a_plan_reads_back_from_its_own_text(plan):
    """What a plan writes of itself parses to the same plan."""
    assert plan == parse(plan.text)


@pytest.mark.parametrize(
    "text",
    [
        SMALL.text,
        f"```python\n{SMALL.text}\n```",
        f"Here is what I would do: look again.\n\n```\n{SMALL.text}\n```\nThat's all.",
        f"Sure! It's best to search again.\n{SMALL.text}\nThis brings what's missing.",
        f"```python\n{SMALL.text}",
        (
            "docs = Retrieval(query=question, topk=5)  # recherché\nfinal_answer = GenerateAnswer(\n    question,\n"
            "    docs=[docs, doc_list],\n    additional_instruction=None,\n)\n"
        ),
        SMALL.text.replace("\n", "\r\n"),
        "\n".join("    " + line for line in SMALL.text.split("\n")),
        f"It says:\n```\nthe passages do not name it\n```\nso\n```\n{SMALL.text}\n```",
        f"```\n{SMALL.text}\n```\nOnce more:\n```python\n{SMALL.text}\n```",
        (
            '[{"name": "docs", "operation": "Retrieval", "query": {"ref": "question"}, "topk": 5},'
            '{"name": "final_answer", "operation": "GenerateAnswer", "query": {"ref": "question"},'
            ' "docs": [{"ref": "docs"}, {"ref": "doc_list"}]}]'
        ),
        (
            'The plan:\n```json\n{"steps": [{"name": "docs", "operation": "Retrieval", "query": {"ref": "question"}, '
            '"topk": 5, "collection": null},\n{"name": "final_answer", "operation": "GenerateAnswer",'
            ' "query": {"ref": "question"}, "docs": [{"ref": "docs"}, {"ref": "doc_list"}]}]}\n```\nDone.'
        ),
    ],
)
def test_call_syntax_and_json_give_the_same_plan_whatever_stands_around(text):
    """Fences, prose, indentation, line ends, keywords and JSON all lead to one plan."""
    assert SMALL == parse(text)


WRONG = {
    Wrong.TOO_LONG: ["x" * 16_001, f'a = RewriteQuery("{"y" * 4_000}", "clarify")\n{END}'],
    Wrong.UNREADABLE: [
        "docs = Retrieval(",
        "x = 'open\n" + END,
        '[{"name":',
        "docs = Retrieval(question, 5)\x00\n" + END,
    ],
    Wrong.NO_PLAN: ["", "   \n", "I do not know.", "Hello", "```python\n```", "[]", "\ud800", "# only a comment"],
    Wrong.TOO_MANY_STEPS: ["\n".join(f"d{n} = Retrieval(question, 5)" for n in range(12)) + "\n" + END],
    Wrong.UNKNOWN_OPERATION: [
        f"x = WebSearch(question)\n{END}",
        f"x = eval(question)\n{END}",
        f"x = retrieval(question, 5)\n{END}",
        '[{"name": "x", "operation": "\uff32etrieval", "query": "a", "topk": 5}]',
    ],
    Wrong.WRONG_ARGUMENT: [
        *(f"x = Retrieval(question, {k})\n{END}" for k in ("0", "46", "-1", "True", "1.5", "'5'", "None")),
        f"x = Retrieval(question, 1000000000)\n{END}",
        f"x = Retrieval(question)\n{END}",
        f"x = Retrieval(question, 5, k=3)\n{END}",
        f"x = Retrieval(question, 5, topk=5)\n{END}",
        f"x = Retrieval(question, 5, revision='old')\n{END}",
        f"x = Retrieval(question, 5, section='child')\n{END}",
        f"x = Retrieval('', 5)\n{END}",
        f"x = Retrieval('{'y' * 501}', 5)\n{END}",
        f"x = Retrieval('a\\x00b', 5)\n{END}",
        f"x = Retrieval('\\ud800', 5)\n{END}",
        f"x = Retrieval(doc_list, 5)\n{END}",
        f"x = Retrieval(question[0], 5)\n{END}",
        f"q = RewriteQuery(question, 'improve')\n{END}",
        f"q = RewriteQuery(question, 'clarify')\nd = DecomposeQuery(q)\n{END}",
        "final_answer = GenerateAnswer(question, doc_list[45])",
        "final_answer = GenerateAnswer(question, doc_list[-1])",
        "final_answer = GenerateAnswer(question, doc_list[True])",
        "final_answer = GenerateAnswer(question, doc_list[0:2])",
        "final_answer = GenerateAnswer(question, [[[[doc_list]]]])",
        "final_answer = GenerateAnswer(question, [])",
        "final_answer = GenerateAnswer(question, ['made-up evidence'])",
        "final_answer = GenerateAnswer(question, question)",
        "final_answer = GenerateAnswer(b'x', doc_list)",
        '[{"name": "x", "operation": "Retrieval", "query": "a", "query": "b", "topk": 5}]',
        '[{"name": "x", "operation": "Retrieval", "query": "a", "topk": 1e3}]',
        (
            '[{"name": "x", "operation": "Retrieval", "query": "a", "topk": true}, {"name": "y"'
            ', "operation": "DecomposeQuery", "query": "a"}]'
        ),
        '[{"name": "x", "operation": "Retrieval", "query": {"ref": "question", "more": 1}, "topk": 5}]',
    ],
    Wrong.USE_BEFORE_BIND: [
        "final_answer = GenerateAnswer(question, docs)",
        f"x = Retrieval(q[0], 5)\nq = RewriteQuery(question, 'expand')\n{END}",
        "final_answer = GenerateAnswer(final_answer, doc_list)",
    ],
    Wrong.REBINDS_GIVEN: [
        f"question = Retrieval(question, 5)\n{END}",
        f"doc_list = []\n{END}",
        f"Retrieval = Retrieval(question, 5)\n{END}",
    ],
    Wrong.REBINDS_RESULT: [f"x = Retrieval(question, 5)\nx = Retrieval(question, 6)\n{END}"],
    Wrong.MISSING_FINAL_ANSWER: [
        "x = Retrieval(question, 5)",
        "x = GenerateAnswer(question, doc_list)",
        "final_answer = Retrieval(question, 5)",
    ],
    Wrong.MISPLACED_FINAL_ANSWER: [f"{END}\n{END}", f"{END}\nx = Retrieval(question, 5)"],
    Wrong.NOT_ALLOWED: [
        "import os",
        f"import os\n{END}",
        f"{END}\nprint(question)",
        f"Well, I'd say:\n{END}\nimport os",
        f"docs = Retrieval(question, 5)\n```\n{END}\n```",
        f"x = os.system('ls')\n{END}",
        f"x = Retrieval(question.__class__, 5)\n{END}",
        f"__class__ = Retrieval(question, 5)\n{END}",
        f"_x = Retrieval(question, 5)\n{END}",
        f"x = Retrieval(*doc_list, 5)\n{END}",
        f"x = Retrieval(**question)\n{END}",
        f"x = Retrieval([*doc_list], 5)\n{END}",
        f"x = Retrieval((lambda: question)(), 5)\n{END}",
        f"x = Retrieval(f'{{question}}', 5)\n{END}",
        f"x = Retrieval([d for d in doc_list], 5)\n{END}",
        f"x = Retrieval((y := question), 5)\n{END}",
        f"x = Retrieval(Retrieval(question, 5), 5)\n{END}",
        f"x = Retrieval(question, 5) if question else 1\n{END}",
        f"x = y = Retrieval(question, 5)\n{END}",
        f"x, y = Retrieval(question, 5)\n{END}",
        f"x: list = Retrieval(question, 5)\n{END}",
        f"x += Retrieval(question, 5)\n{END}",
        f"x = Retrieval(question, 10**9)\n{END}",
        f"@question\ndef f(): pass\n{END}",
        f"class A: pass\n{END}",
        f"for x in doc_list: pass\n{END}",
        f"\uff32 = Retrieval(question, 5)\n{END}",
        f"x = \uff32etrieval(question, 5)\n{END}",
        f"x = Retrieval(\uff51uestion, 5)\n{END}",
        f"x = Retrieval(question, \uff54opk=5)\n{END}",
        f"x = Retrieval(question, 5)[0]\n{END}",
        "[{}, {}]",
        '[{"name": "lambda", "operation": "Retrieval", "query": "a", "topk": 5}]',
        '[{"name": "x y", "operation": "Retrieval", "query": "a", "topk": 5}]',
    ],
}


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, texts in WRONG.items() for text in texts])
def test_what_is_no_plan_is_turned_away_by_its_kind(kind, text):
    """Each fault has its own kind."""
    found = parse(text)
    assert isinstance(found, PlanError)
    assert (kind, found.message) == (found.kind, found.message)


HOSTILE = [
    "\n".join(f"x{n} = Retrieval(question, 5)" for n in range(5_000)),
    "final_answer = GenerateAnswer(question, " + "[" * 1_500 + "]" * 1_500 + ")",
    "final_answer = GenerateAnswer(question, doc_list" + "[0]" * 1_000 + ")",
    "x = Retrieval(question, 0x" + "f" * 3_900 + ")\n" + END,
    "x = Retrieval(question, " + "9" * 5_000 + ")\n" + END,
    "x = " + "not " * 900 + "question\n" + END,
    "x = " + "not " * 3_900 + "question\n" + END,
    "x = " + "-" * 3_800 + "1\n" + END,
    "x = " + "a." * 1_900 + "a\n" + END,
    "a." * 1_900 + "a",
    "x = " + "f(" * 80 + ")" * 80 + "\n" + END,
    "x = " + "lambda: " * 450 + "1",
    "x = 1" + "+1" * 1_900,
    "x = " + "(" * 3_900,
    "[" * 16_000,
    "[{" * 8_000,
    '{"steps": ' * 1_500,
    "```" * 5_000,
    "```\n" * 4_000,
    "x=\n" * 5_000,
    "final_answer =\n" * 1_000,
    "\ud800 = Retrieval(question, 5)",
    "x = '\ud800'\n" + END,
    "\x00",
    "\x0c\x0b\x1c\u2028",
    "\ufeff" + END + ";import os",
    "x = Retrieval(question, 5); import os; " + END,
    'x = Retrieval("\\N{no such name}", 5)\n' + END,
    "match question:\n case _: pass",
    "async def f(): await question",
    "global x\n" + END,
    "del question\n" + END,
]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_text_is_an_error_value_and_soon(text):
    """Nothing leaves the parser but a PlanError, whatever the depth, the size or the characters."""
    started = time.process_time()
    found = parse(text)
    assert isinstance(found, PlanError)
    assert time.process_time() - started < 1.0


def test_nothing_is_printed_warned_or_quoted(capsys):
    """An odd escape warns of nothing, and no message holds a piece of what was rejected."""
    canary = "zebra7391"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert isinstance(parse(f'x = Retrieval("\\d{canary}", 5)\n{END}'), Plan)
        texts = (
            f"{canary} = os.{canary}()",
            f"x = {canary}(1)\n{END}",
            f"x = Retrieval({canary}, 5)\n{END}",
            f"{canary} is",
        )
        shown = "".join(f"{parse(text)!r}{parse(text)}" for text in texts)
    assert [] == caught
    assert canary not in shown
    assert ("", "") == tuple(capsys.readouterr())


def test_an_error_says_where():
    """Line and column count in the whole reply, prose and fence included; steps are counted in JSON."""
    found = parse(f"Let's see.\n\n```\nd = Retrieval(question, 5)\nx = Retrieval(a.b, 5)\n{END}\n```")
    assert (5, 15, Wrong.NOT_ALLOWED) == (found.line, found.column, found.kind)
    listed = parse('[{"name": "x", "operation": "DecomposeQuery", "query": "a"}, {"name": "y"}]')
    assert (2, Wrong.NOT_ALLOWED) == (listed.line, listed.kind)


def test_the_cost_of_a_plan_is_held_against_the_budget():
    """One round, and a call for each operation that a chat model does; the default operations take none."""
    budget = Budget.of(Limits(rounds=1, model_calls=1), 0.0)
    one, two = Plan(SMALL.steps), Plan((Step("sub", DecomposeQuery(QUESTION)), *SMALL.steps))
    assert check(one, budget) is None
    assert Wrong.OVER_BUDGET is check(two, budget).kind
    assert Wrong.OVER_BUDGET is parse(two.text, budget).kind
    assert check(two, budget, paid=frozenset()) is None
    assert Wrong.OVER_BUDGET is check(one, budget.spend(Cost(rounds=1))).kind


def test_a_plan_made_by_hand_is_checked_by_the_same_rules():
    """`check` sees what types do not: empty plans, wrong values, depth."""
    assert Wrong.NO_PLAN is check(Plan(())).kind
    final = Step("final_answer", GenerateAnswer(QUESTION, IN_USE))
    assert check(Plan((final,))) is None
    assert Wrong.WRONG_ARGUMENT is check(Plan((Step("x", Retrieval(7, 5)), final))).kind
    assert Wrong.WRONG_ARGUMENT is check(Plan((Step("x", Retrieval(QUESTION, True)), final))).kind
    deep = GenerateAnswer(QUESTION, ((((IN_USE,),),),))
    assert Wrong.WRONG_ARGUMENT is check(Plan((Step("final_answer", deep),))).kind
    long = tuple(Step(f"x{n}", Retrieval("y" * 500, 5)) for n in range(11))
    assert Wrong.TOO_LONG is check(Plan((*long, final))).kind


def test_parsing_is_quick():
    """Two thousand characters take about a millisecond; allow a shared machine a good deal more."""
    text = "\n".join(f'd{n} = Retrieval("{"a word or two " * 11}", 5)' for n in range(11)) + "\n" + END
    started = time.process_time()
    for _ in range(20):
        assert isinstance(parse(text), Plan)
    assert (time.process_time() - started) / 20 < 0.05


def test_threads_may_parse_at_once():
    """Filters of warnings stand as before after many parses at once."""
    before = list(warnings.filters)
    threads = [threading.Thread(target=lambda: [parse(EVERY.text) for _ in range(20)]) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert before == list(warnings.filters)
