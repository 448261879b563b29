"""The command that shows a correction: the state, the plan, what it should bring, what it did, before and after."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any, get_args

import click

from remit.access.principal import Principal
from remit.answer.draft import Draft
from remit.contract.frame import Given
from remit.engine import Remit
from remit.observe.observation import Estimate, Unmeasured
from remit.record.question import cleaned_parameters
from remit.repair.planner import Planning, Repaired, StepRecord
from remit.rerank.ranking import Ranking
from remit.serve import options, words
from remit.settings import PlannerKind, PlannerSettings

_SHOWN = 5


@click.command(short_help="Show how a first draft would be corrected, and what that leads to.")
@click.argument("question")
@options.store
@options.asker
@options.as_of
@click.option("--param", "parameters", metavar="KEY=VALUE", multiple=True, callback=options.pairs, help="As for ask.")
@click.option("--policy", type=click.Choice(get_args(PlannerKind)), help="The planner, instead of the configured one.")
@click.option(
    "--weights", type=click.Path(path_type=Path), help="Weights of the planner: a file for encoder, a folder for lm."
)
@click.option("--dry-run", is_flag=True, help="Plan, and run nothing.")
@options.config
@options.json_output
def plan(  # noqa: PLR0913 -- one argument an option
    *,
    question: str,
    store: Path,
    principal: Principal,
    as_of: date | None,
    parameters: dict[str, str],
    policy: PlannerKind | None,
    weights: Path | None,
    dry_run: bool,
    config: Path | None,
    json_output: bool,
) -> None:
    """Draft an answer to QUESTION, plan a correction, run it, and show both answers.

    Nothing is decided, released or recorded: the answers shown are drafts, as far as the asker may read.
    """
    with Remit.open(store, config=config) as remit:
        said = remit.settings.planner
        if policy is not None and policy != said.policy:  # weights belong to one policy
            said = PlannerSettings(policy=policy, judge=said.judge)
        said = said if weights is None else said.model_copy(update={"weights": weights})
        today = remit.now().date()
        given = Given(today, as_of, cleaned_parameters(parameters), remit.settings.limits)
        done = remit.plan(question, principal=principal, given=given, planner=said, dry_run=dry_run)
    if json_output:
        click.echo(words.as_json(_as_json(done)))
        return
    for line in _told(done):
        click.echo(line)


def _as_json(done: Planning) -> dict[str, Any]:
    state, proposal, repaired = done.state, done.planned.proposal, done.repaired
    return {
        "question": state.contract.question,
        "looks_correct": _looks(done),
        "estimate": (proposal.estimate or state.seen.estimate).model_dump(mode="json"),
        "before": _drafted(state.draft, state.ranking),
        "policy": proposal.policy,
        "plan": proposal.plan,
        "expects": proposal.expects,
        "log_probability": proposal.log_probability,
        "steps": None if repaired is None else [step.model_dump(mode="json") for step in repaired.steps],
        "accepted": None if repaired is None else repaired.accepted,
        "why": None if repaired is None else repaired.why,
        "gained": None if repaired is None else list(repaired.gained),
        "after": None if repaired is None else _drafted(repaired.draft, repaired.ranking),
    }


def _drafted(draft: Draft, ranking: Ranking) -> dict[str, Any]:
    return {
        "answer": draft.answer,
        "why": draft.why,
        "confidence": draft.confidence,
        "citations": [citation.model_dump(mode="json", context={"keep_text": True}) for citation in draft.citations],
        "passages": [hit.passage.id for hit in ranking.hits],
    }


def _looks(done: Planning) -> bool | None:
    """Return the estimate that the planner was told, None where it could not be taken."""
    seen = done.planned.proposal.estimate or done.state.seen.estimate
    return None if isinstance(seen, Unmeasured) else seen.looks_correct


def _told(done: Planning) -> Iterator[str]:
    state, proposal = done.state, done.planned.proposal
    yield words.folded(state.contract.question, lead="question ")
    for number, hit in enumerate(state.ranking.hits[:_SHOWN]):
        yield words.folded(f"{hit.source.title} ({hit.passage.document})", lead=f"doc_list[{number}]  ")
    if state.ranking.k > _SHOWN:
        yield f"             and {state.ranking.k - _SHOWN} more"
    yield words.folded(_answer(state.draft), lead="before   ")
    yield words.folded(_estimate(done), lead="estimate ")
    yield ""
    yield words.folded(proposal.policy, lead="policy   ")
    if proposal.plan is None:
        yield words.folded("none: " + (proposal.expects or "the draft is left alone"), lead="plan     ")
        return
    for number, line in enumerate(proposal.plan.splitlines()):
        yield words.folded(line, lead="         " if number else "plan     ", hang=" " * 13)
    yield words.folded(proposal.expects, lead="expects  ")
    if done.repaired is not None:
        yield from _ran(done.repaired)


def _ran(repaired: Repaired) -> Iterator[str]:
    yield ""
    for step in repaired.steps:
        yield words.folded(_step(step), lead="did      ", hang=" " * 13)
    yield words.folded(_answer(repaired.draft), lead="after    ")
    kept = "the plan's answer" if repaired.accepted else "the first answer stays"
    yield words.folded(f"{kept}: {repaired.why}; {len(repaired.gained)} passages gained", lead="result   ")


def _step(step: StepRecord) -> str:
    gave = f"failed: {step.failed}" if step.failed else ", ".join(step.outputs[:_SHOWN])
    more = len(step.outputs) - _SHOWN
    return f"{step.name} = {step.operation}: {gave}{f' and {more} more' if more > 0 else ''}"


def _answer(draft: Draft) -> str:
    if draft.answer is None:
        return f"no answer ({draft.why})"
    quotes = "; ".join(f"“{citation.quote}” [{citation.document}]" for citation in draft.citations)
    return f"{draft.answer} ({draft.confidence:.2f}) {quotes}"


def _estimate(done: Planning) -> str:
    seen = done.planned.proposal.estimate or done.state.seen.estimate
    if not isinstance(seen, Estimate):
        return f"not taken: {seen.reason}"
    return f"looks {'correct' if seen.looks_correct else 'incorrect'} ({seen.probability:.2f}, {seen.method})"
