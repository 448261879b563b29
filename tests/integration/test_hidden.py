"""Hidden or absent: an attacker with every face of the asker, over two stores that differ by what is hidden from them.

One store holds a collection that is not discoverable and that the attacker may not read; the other does not hold it at all.
Whatever they ask and wherever they look, both have to give the same, but for ids, digests of the corpus and seconds.
"""

from __future__ import annotations

import json
import re
import shutil
from datetime import UTC, date, datetime

import pytest

from remit import Principal, Remit
from remit.errors import RemitError
from remit.record.queue import QUEUES
from remit.serve import words
from remit.serve.explained import explained, understood

pytestmark = pytest.mark.integration

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
ATTACKER = Principal(id="vera", groups=("maintenance",))
CONTROL = """
[collections.procedures]
title = "Procedures"
discoverable = true

[collections.hr]
title = "Personnel rules"
aliases = ["personnel rules"]
discoverable = false
"""
HEAD = (
    "---\ndocument: {document}\nrevision: '1'\ntitle: {title}\ncollection: {collection}\nlabels: [{labels}]\nstatus: current\n"
    "valid_from: 2026-01-01\nauthority: authoritative\napplies_to: {{line: ['{line}']}}\n---\n\n# {title}\n\n{body}\n"
)
OPEN = {
    "PR-1": ("Seal of pump P-7", "The mechanical seal of pump P-7 is replaced every 12 months.", "1"),
    "PR-2": ("Belt", "The belt of the conveyor is tensioned to 3.2 kN.", "1"),
}
HIDDEN = {
    "HR-9": ("Retirement", "The works pension begins at 64 years. Whoever asks for it writes to Rosa Amsel.", "1"),
    "HR-7": ("Belt allowance", "The belt of the conveyor is tensioned to 4.1 kN.", "2"),
    "PR-3": ("Seal of pump P-7", "The mechanical seal of pump P-7 is replaced every 6 months.", "1"),
    "PR-1": ("Seal of pump P-7", "The mechanical seal of pump P-7 is replaced every 3 months.", "1"),
}
"""What the one store holds more: an answer, another line's value, and two contradictions of what may be read."""

QUESTIONS = (
    "What does HR-9 say?",
    "According to HR-9, when does the works pension begin?",
    "At what age does the works pension begin?",
    "Who is Rosa Amsel?",
    "How often is the mechanical seal of pump P-7 replaced?",
    "How tight is the belt of the conveyor tensioned?",
    "How tight is the belt of the conveyor on line 2 tensioned?",
    "According to the personnel rules, when does the works pension begin?",
    "Summarise HR-9 and PR-1 please.",
    "Summarise HR-9 and HR-99 please.",
    "What was the pension age as of 1 March 2026?",
    "Wann beginnt laut HR-9 die Rente?",
)


def filled(folder, *, hidden: bool):
    """Make a store of the open documents, and of the hidden ones where asked to; return its folder."""
    documents = folder / "documents"
    documents.mkdir(parents=True)
    wanted = [(name, "procedures", "maintenance", *told) for name, told in OPEN.items()]
    if hidden:
        wanted += [(name, "hr", "personnel", *told) for name, told in HIDDEN.items() if name not in OPEN]
    for name, collection, labels, title, body, line in wanted:
        text = HEAD.format(document=name, title=title, collection=collection, labels=labels, body=body, line=line)
        (documents / f"{name}.md").write_text(text, encoding="utf-8")
    (folder / "store").mkdir()
    (folder / "store" / "remit.toml").write_text(CONTROL, encoding="utf-8")
    with Remit.open(folder / "store", environ={}, make=True, now=lambda: NOW) as remit:
        assert remit.ingest([documents]).rejected == ()
    return folder / "store"


@pytest.fixture(scope="module")
def twins(tmp_path_factory):
    """Return the two stores."""
    folder = tmp_path_factory.mktemp("twins")
    return filled(folder / "absent", hidden=False), filled(folder / "hidden", hidden=True)


def unsigned(said: str) -> str:
    """Return what was said without what differs between any two stores, and between any two asks."""
    said = re.sub(r"sha256:[0-9a-f]{64}", "DIGEST", said)
    said = re.sub(r"\d+\.\d+ s of", "SECONDS of", said)
    said = re.sub(r'"(seconds|deadline)": [\d.]+', r'"\1": S', said)
    said = re.sub(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "ID", said)
    return re.sub(r'("number": )\d+', r"\1N", said)


def faces(remit: Remit, question: str, **given) -> dict[str, str]:
    """Return all that the attacker gets to see of one question: each face's text."""
    try:
        done = remit.ask(question, principal=ATTACKER, **given)
    except RemitError as error:
        return {"error": str(error)}
    own = remit.trace(done.trace, principal=ATTACKER)
    queues = {name: [item.as_json() for item in remit.queue(name, principal=ATTACKER)][-1:] for name in QUEUES}
    return {
        "json": words.as_json(done.as_json()),
        "words": "\n".join(words.answered(done)),
        "explain": "\n".join(explained(done)),
        "understood": words.as_json(understood(done)),
        "trace": json.dumps([[entry.kind, entry.data] for entry in own.entries]),
        "queues": json.dumps(queues, default=str),
    }


def work(remit: Remit, question: str) -> list[str]:
    """Return what was done for a question, step by step: what its time is made of."""
    done = remit.ask(question, principal=ATTACKER)
    steps = [entry.kind for entry in remit.trace(done.trace, principal=None).entries]
    used = done.budget.used if done.budget is not None else None
    return [*steps, f"{used}", f"{len(done.places)} passages"]


@pytest.mark.parametrize("question", QUESTIONS)
def test_no_face_tells_hidden_from_absent(twins, question) -> None:
    """Text, fields, message, budget, rounds, explanation, own trace and own queues are the same over both stores."""
    seen = []
    for store in twins:
        with Remit.open(store, environ={}, now=lambda: NOW) as remit:
            seen.append({face: unsigned(text) for face, text in faces(remit, question).items()})
    assert seen[0] == seen[1]
    assert not {"64 years", "4.1 kN", "6 months"} & set(re.findall(r"64 years|4.1 kN|6 months", str(seen[1])))


@pytest.mark.parametrize(
    "given",
    [
        {"collections": ("hr",)},
        {"collections": ("nowhere",)},
        {"as_of": date(2026, 2, 1)},
        {"language": "de"},
        {"revision": "1"},
    ],
    ids=str,
)
def test_no_option_tells_hidden_from_absent(twins, given) -> None:
    """Nor does anything that can be given besides the question, refusals included."""
    seen = []
    for store in twins:
        with Remit.open(store, environ={}, now=lambda: NOW) as remit:
            seen.append({face: unsigned(text) for face, text in faces(remit, QUESTIONS[1], **given).items()})
    assert seen[0] == seen[1]


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_same_is_done_for_both(twins, question) -> None:
    """The steps, rounds, calls and passages of a question are the same: its time is made of the same work."""
    done = []
    for store in twins:
        with Remit.open(store, environ={}, now=lambda: NOW) as remit:
            done.append(work(remit, question))
    assert done[0] == done[1]


def test_a_document_that_is_not_there_and_one_that_is_hidden_read_alike_in_one_store(twins) -> None:
    """In the store that hides it, asking for HR-9 and asking for HR-8, which is nowhere, differ in the name alone."""
    with Remit.open(twins[1], environ={}, now=lambda: NOW) as remit:
        one, other = (faces(remit, f"What does {name} say of pensions?") for name in ("HR-9", "HR-8"))
    assert {face: unsigned(text) for face, text in one.items()} == {
        face: unsigned(text).replace("HR-8", "HR-9").replace("hr-8", "hr-9") for face, text in other.items()
    }


def test_whoever_runs_the_service_sees_the_truth(twins) -> None:
    """The operator's queue names the hidden document that a question asked for; nobody else's does."""
    with Remit.open(twins[1], environ={}, now=lambda: NOW) as remit:
        trace = remit.ask("What does HR-9 say?", principal=ATTACKER).trace
        items = {
            who: [i for i in remit.queue("corpus_gaps", principal=who) if i.trace == trace] for who in (None, ATTACKER)
        }
    assert [item.withheld for item in items[None]] == [("HR-9",)]
    assert [item.withheld for item in items[ATTACKER]] == [()]


def test_the_attacker_would_see_a_difference(twins, tmp_path) -> None:
    """The comparison is no idle one: over a store whose hidden documents are readable it does find differences."""
    opened = tmp_path / "store"
    shutil.copytree(twins[1], opened)
    reader = Principal(id="vera", groups=("maintenance", "personnel"))
    with Remit.open(opened, environ={}, now=lambda: NOW) as remit:
        told = words.as_json(remit.ask(QUESTIONS[1], principal=reader).as_json())
    with Remit.open(twins[0], environ={}, now=lambda: NOW) as remit:
        untold = words.as_json(remit.ask(QUESTIONS[1], principal=reader).as_json())
    assert unsigned(told) != unsigned(untold)
