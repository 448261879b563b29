"""Run one system on one question: whatever happens, a result comes of it."""

from __future__ import annotations

from remit.answer.draft import Draft
from remit.baselines.system import Ended, Result, System
from remit.baselines.work import Asked, Means, Spent, Work
from remit.contract.budget import Cost
from remit.errors import AccessFailed, Cancelled, CorpusDamaged, MissingPrerequisite, RemitError
from remit.llm.cancel import Patience


def run(system: System, means: Means, asked: Asked, patience: Patience) -> Result:
    """Return what a system made of a question. What breaks is its failure, never an exception and never left out.

    Where the budget ends, the answer held last stands.

    Raises:
        Cancelled: the whole run was stopped; a deadline of the question alone ends as `Ended.TIME`.
        MissingPrerequisite, CorpusDamaged: no question could be asked so, this one or another.
    """
    work = Work(means, asked, patience)
    ended, failure = Ended.DONE, ""
    draft: Draft | None = None
    try:
        draft = system.answer(work)
    except Spent:
        ended, draft = Ended.BUDGET, work.held
    except AccessFailed as error:
        work.decided, failure = "deny", str(error)
    except Cancelled as error:
        if patience.stop.is_set():
            raise
        ended, draft, failure = Ended.TIME, work.held, str(error)
    except (MissingPrerequisite, CorpusDamaged):
        raise
    except RemitError as error:
        ended, draft, failure = Ended.FAILED, None, str(error)
    answer = None if draft is None else draft.answer
    return Result(
        action=work.decided or ("abstain" if answer is None else "answer"),
        answer=answer,
        draft=draft,
        ranked=tuple(hit.passage.id for hit in work.ranked),
        sent=tuple(dict.fromkeys(hit.passage.id for hit in work.sent)),
        texts=tuple(hit.passage.text for hit in work.sent),
        steps=tuple(work.steps),
        searches=work.searches,
        cost=work.budget.used,
        ended=ended,
        failure=failure,
    )


def broken(error: Exception) -> Result:
    """Return the result of a question on which a system broke in a way that nobody foresaw: it counts as not answered."""
    told = f"unexpected {type(error).__name__}: {error}"
    return Result("abstain", None, None, (), (), (), (), 0, Cost(), Ended.FAILED, told)
