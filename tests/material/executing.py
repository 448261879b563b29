"""A plan given as text, run over fakes."""

from remit.repair.parse import parse
from remit.repair.plan import Plan

AGAIN = "docs = Retrieval(question, 10)\nfinal_answer = GenerateAnswer(question, [docs, doc_list])"


def run(made, text, rows, *, state=None, answerer=None, budget=None, patience=None, **parts):
    """Run a plan given as text over fakes; return what came out and the parts."""
    parts = made.executor(rows, answerer, **parts)
    state = state or made.state(hits=rows[1:2])
    plan = text if isinstance(text, Plan) else parse(text)
    assert isinstance(plan, Plan), plan
    return parts.run(plan, state, budget or made.budget(), patience or made.patience), parts


def failures(repaired):
    """Return the failures of the steps, in order."""
    return [step.failed for step in repaired.steps if step.failed]
