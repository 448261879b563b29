"""The report as one HTML file that needs no network, and the same figures as JSON and as Markdown."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from importlib import resources
from pathlib import Path
from typing import Any, Final, NamedTuple

from remit.evaluate import cells, plots
from remit.evaluate.comparison import Comparison
from remit.evaluate.findings import says, value_of
from remit.evaluate.measures import COST, DECISIONS, MEASURES, QUALITY, RETRIEVAL
from remit.evaluate.tables import ALL, Standing, as_json, standings, unfinished
from remit.evaluate.trial import Trial
from remit.evaluate.trials import Ran
from remit.evaluate.worst import Pair, worst
from remit.measure.bootstrap import Interval

HTML: Final = "report.html"
JSON: Final = "report.json"
MARKDOWN: Final = "summary.md"
_FLAT: Final = re.compile(r"[\[{]\n[^\[\]{}]*[\]}]")
_BROKEN: Final = re.compile(r"\n *")
_LEAST: Final = 5
_LEARNED: Final = "Learned from these questions"
"""Answers that a bar of a reliability diagram stands for at least."""


class Report(NamedTuple):
    """What a run comes to."""

    comparison: Comparison
    ran: Ran
    systems: tuple[str, ...]
    reference: str
    held: dict[str, dict[str, Standing]]
    unfinished: dict[str, str]

    @classmethod
    def of(cls, comparison: Comparison, ran: Ran) -> Report:
        """Return the report of a run, compared with the reference, or the first system that applies."""
        tried = {trial.system for trial in ran.trials}
        named = (system["name"] for one in ran.card["sets"].values() for system in one["systems"])
        systems = tuple(dict.fromkeys(name for name in named if name in tried))
        sets = [one.name for one in comparison.sets]
        # One order whatever order they were done in: sums of fractions depend on it in their last digits.
        ordered = sorted(ran.trials, key=lambda one: (sets.index(one.set), one.case, systems.index(one.system)))
        ran = ran._replace(trials=tuple(ordered))
        reference = comparison.reference if comparison.reference in systems else (systems or ("",))[0]
        asked = {name: int(one["questions"]) for name, one in ran.card["sets"].items()}
        held = standings(ran.trials, systems, reference=str(reference), seed=comparison.seed, asked=asked)
        return cls(comparison, ran, systems, str(reference), held, unfinished(ran.trials, systems, asked))

    @property
    def learned(self) -> dict[str, str]:
        """Return of each system that learned from some of the questions how many these are, by set: they measure nothing of it."""
        sets = self.ran.card["sets"].items()
        known = [
            (one["name"], f"{one['learned_from']} of {name}")
            for name, held in sets
            for one in held["systems"]
            if "learned_from" in one
        ]
        return {system: ", ".join(told for name, told in known if name == system) for system, _ in known}

    @property
    def json(self) -> dict[str, Any]:
        """Return all figures with the card."""
        return {
            "name": self.comparison.name,
            "reference": self.reference,
            "systems": list(self.systems),
            "not_applicable": self.ran.reasons,
            "stopped": self.ran.stopped,
            "unfinished": self.unfinished,
            "learned_from": self.learned,
            "figures": as_json(self.held),
            "card": json.loads(json.dumps(self.ran.card, sort_keys=True)),
        }


def write(report: Report, out: Path) -> None:
    """Write report.html, report.json and summary.md into a folder."""
    out.mkdir(parents=True, exist_ok=True)
    (out / JSON).write_text(_dense(json.dumps(report.json, indent=1, allow_nan=False)) + "\n", encoding="utf-8")
    (out / MARKDOWN).write_text("\n".join(markdown(report)) + "\n", encoding="utf-8")
    (out / HTML).write_text(html(report), encoding="utf-8")


def _dense(text: str) -> str:
    """Return JSON with what holds nothing but plain values on one line; a string has no line ends in it."""
    return _FLAT.sub(lambda found: _BROKEN.sub("", found[0]), text)


def html(report: Report) -> str:
    """Return the page."""
    css = resources.files(__package__).joinpath("page.css").read_text(encoding="utf-8")
    body = "\n".join((_head(report), *_sections(report), _not_run(report), _card(report)))
    title = escape(report.comparison.name)
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, '
        f'initial-scale=1"><title>{title}: comparison</title><style>{css}</style></head><body>{body}</body></html>\n'
    )


def _head(report: Report) -> str:
    sets = [name for name in report.held if name != ALL]
    asked = ", ".join(f"{name} {next(iter(report.held[name].values())).trials}" for name in sets)
    chat = next((one.get("chat") for one in report.ran.card["sets"].values()), None)
    model = f"a chat model ({escape(str(chat))})" if chat else "the extractive answerer, without a chat model"
    links = "".join(f'<li><a href="#{_slug(name)}">{escape(name)}</a></li>' for name in report.held)
    stopped = f"<p><strong>Ended early: {escape(report.ran.stopped)}.</strong></p>" if report.ran.stopped else ""
    return (
        f"<header><h1>{escape(report.comparison.name)}</h1><p>{escape(report.comparison.about)}</p>"
        f'<p class="soft">{len(report.systems)} systems on equal terms, with {model}. Questions: {escape(asked)}. '
        f"Every figure with its 95 % bootstrap interval over groups of questions; a question that failed counts as not answered. "
        f"Differences are paired, beside {escape(report.reference)}, by a permutation test with Holm\N{RIGHT SINGLE QUOTATION MARK}s correction.</p>{stopped}"
        f'<nav><ul>{links}<li><a href="#card">run card</a></li></ul></nav></header>'
        + "".join(f"<p>{escape(line)}</p>" for line in says(report.held, report.reference))
    )


def _sections(report: Report) -> Iterator[str]:
    for place, (name, held) in enumerate(report.held.items()):
        one = next(iter(held.values()))
        first = ' class="first"' if not place else ""
        yield f'<h2 id="{_slug(name)}"{first}>{escape(name)}</h2><p class="soft">{one.trials} questions in {one.groups} groups</p>'
        yield _pictures(held)
        yield "<h3>Quality</h3>" + cells.figures(held, QUALITY)
        yield "<h3>Differences</h3>" + cells.differences(held, "f1", report.reference)
        yield "<h3>At equal coverage</h3>" + cells.surest(held)
        yield "<h3>Decisions</h3>" + cells.figures(held, DECISIONS)
        yield cells.counts({system: dict(one.declined) for system, one in held.items()}, "not answered, by decision")
        yield "<h3>Retrieval</h3>" + cells.figures(held, RETRIEVAL)
        yield "<h3>Cost</h3>" + cells.figures(held, COST)
        yield "<h3>Order and calibration</h3>" + cells.ordering(held)
        yield "<h3>By kind</h3>" + "".join(_kind(held, kind) for kind in one.kinds)
        yield "<h3>Acts</h3>" + cells.counts({system: one.acts for system, one in held.items()}, "act")
        trials = [trial for trial in report.ran.trials if name in {trial.set, ALL}]
        yield "" if name == ALL else _worst(worst(trials))


def _pictures(held: Mapping[str, Standing]) -> str:
    rows = [dot for s, one in held.items() if (dot := _dot(s, one, 0.0)) is not None]
    risky = [dot for s, one in held.items() if (dot := _dot(s, one, 0.0, "unsupported")) is not None]
    calls = [dot for s, one in held.items() if (dot := _dot(s, one, value_of(one, "calls"))) is not None]
    tokens = [dot for s, one in held.items() if (dot := _dot(s, one, value_of(one, "tokens"))) is not None]
    waits = [dot for s, one in held.items() if (dot := _dot(s, one, one.seconds.get("p50", 0.0))) is not None]
    with_model = any(dot.x for dot in calls)
    told = [
        ("Token F1 with its 95 % interval; more is better", plots.forest(rows, label="F1")),
        ("Answers given without support, of all questions; fewer is better", plots.forest(risky, label="unsupported")),
        (
            "Risk by coverage: the share of unsupported answers among the surest ones given",
            plots.curves({s: one.risk for s, one in held.items()}, "coverage of all questions", "risk"),
        ),
        (
            "Reliability: how often answers were right by how sure the system was",
            plots.curves({s: _bars(one) for s, one in held.items()}, "said", "so", diagonal=True),
        ),
        ("Model calls and F1", plots.dots(calls, "model calls a question", "F1") if with_model else ""),
        ("Tokens and F1", plots.dots(tokens, "tokens a question", "F1") if with_model else ""),
        ("Seconds and F1; the machine's load is in them", plots.dots(waits, "seconds a question, p50", "F1")),
        ("How many passages were sent", plots.bars({s: one.ks for s, one in held.items()}, "k", "share of questions")),
    ]
    made = "".join(f"<figure>{svg}<figcaption>{escape(caption)}</figcaption></figure>" for caption, svg in told if svg)
    return f'{plots.legend(held)}<div class="plots">{made}</div>'


def _bars(one: Standing) -> list[tuple[float, float]]:
    """Return the bars of a reliability diagram that enough answers stand behind."""
    return [(said, so) for said, so, cases in one.bars if cases >= _LEAST]


def _dot(system: str, one: Standing, x: float, measure: str = "f1") -> plots.Dot | None:
    found = one.figures[measure].interval
    return None if found is None else plots.Dot(system, x, found.value, found.low, found.high)


def _kind(held: Mapping[str, Standing], kind: str) -> str:
    rows = {system: one.confusion.get(kind, {}) for system, one in held.items()}
    count = sum(next(iter(rows.values())).values())
    return cells.counts(rows, f"{kind}, {count} questions") if count else ""


def _worst(found: Sequence[tuple[str, Sequence[Pair]]]) -> str:
    made = [f"<h3>{escape(title)}</h3>" + "".join(_pair(pair) for pair in pairs) for title, pairs in found]
    return "".join(made)


def _pair(pair: Pair) -> str:
    golden = "; ".join(pair.bad.golden[:3]) or "none in the documents"
    return (
        f'<div class="pair"><p>{escape(pair.bad.question)} <span class="soft">golden: {escape(golden[:200])}</span></p>'
        f"{_side(pair.bad)}{_side(pair.good)}</div>"
    )


def _side(trial: Trial) -> str:
    said = trial.answer if trial.answer is not None else trial.why or "no answer"
    quote = f"<blockquote>{escape(trial.quotes[0])}</blockquote>" if trial.quotes else ""
    return (
        f"<div><strong>{escape(trial.system)}</strong>: {escape(trial.action)}<br>{escape(said[:300])}{quote}"
        f'<span class="soft">{escape(" → ".join(trial.steps))}</span></div>'
    )


def _not_run(report: Report) -> str:
    reasons, short, learned = (
        "".join(f"<li>{escape(name)}: {escape(why)}</li>" for name, why in told.items())
        for told in (report.ran.reasons, report.unfinished, report.learned)
    )
    left = "".join(
        f"<li>{escape(name)}: {count} left out, {escape(why)}</li>"
        for name, one in report.ran.card["sets"].items()
        for why, count in one["left_out"].items()
    )
    notes = "".join(f"<li><strong>{escape(m.label)}</strong>: {escape(m.note)}</li>" for m in MEASURES.values())
    parts = [
        ("Not finished", short),
        (_LEARNED, learned),
        ("Not applicable here", reasons),
        ("Questions left out", left),
        ("What the measures are", notes),
    ]
    return "".join(f"<h2>{title}</h2><ul>{items}</ul>" for title, items in parts if items)


def _card(report: Report) -> str:
    text = escape(_dense(json.dumps(report.ran.card, indent=1)))
    return f'<h2 id="card">Run card</h2><details open><summary>data, models, prompts, settings by name and digest</summary><pre>{text}</pre></details>'


def markdown(report: Report) -> Iterator[str]:
    """Yield a summary for a pull request: what the comparison shows, and a table a set."""
    yield f"# {report.comparison.name}"
    yield ""
    yield from (f"- {line}" for line in says(report.held, report.reference))
    shown = (
        "f1",
        "f1_answered",
        "em",
        "useful_coverage",
        "unsupported",
        "recall_sent",
        "k",
        "calls",
        "tokens",
        "failed",
    )
    for name, held in report.held.items():
        one = next(iter(held.values()))
        level = max((at for stands in held.values() for at in stands.surest), default=0.0)
        labels = (
            *(MEASURES[key].label for key in shown),
            f"unsupported, surest {level:.0%}",
            f"F1 beside {report.reference}",
        )
        yield from ("", f"## {name}: {one.trials} questions, {one.groups} groups", "")
        yield f"| system | {' | '.join(labels)} |"
        yield "|---" * (len(labels) + 1) + "|"
        for system, stands in held.items():
            at = stands.surest.get(level)
            values = [_told(stands.figures[key].interval) for key in shown]
            values += [_told(None if at is None else at.unsupported), _beside(stands)]
            yield f"| {system} | {' | '.join(values)} |"
    told_of = (("Not finished", report.unfinished), ("Not applicable", report.ran.reasons), (_LEARNED, report.learned))
    for told, names in told_of:
        yield from (line for name, why in names.items() for line in ("", f"{told}: {name}, {why}."))
    yield from ("", f"Experiment {report.ran.card['experiment']}, seed {report.ran.card['seed']}.")


def _told(found: Interval | None) -> str:
    if found is None:
        return "\N{EN DASH}"
    return f"{cells.number(found.value)} [{cells.number(found.low)}, {cells.number(found.high)}]"


def _beside(one: Standing) -> str:
    found = one.versus.get("f1")
    if found is None:
        return "\N{EN DASH}"
    return (
        f"{found.difference.value:+.3f} [{found.difference.low:+.3f}, {found.difference.high:+.3f}], p {found.holm:.3f}"
    )


def _slug(name: str) -> str:
    return "set-" + "".join(char if char.isalnum() else "-" for char in name)
