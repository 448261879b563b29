"""A store of a few documents, asked with a chat model behind an endpoint of the test."""

from __future__ import annotations

from datetime import UTC, datetime

import faults

from remit import Limits, Principal, Remit
from remit.rerank.choice import RerankChoice
from remit.settings import ChatSettings, Settings

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
QUESTION = "How often is the mechanical seal of pump P-7 replaced?"
UNKNOWN = "Which grease does the gearbox of pump P-7 take?"
MARA = Principal(id="mara", groups=("maintenance",))
THEO = Principal(id="theo", groups=("visitors",))
_HEAD = (
    "---\ntitle: {title}\nlabels: [{labels}]\nstatus: current\nvalid_from: 2026-01-01\nauthority: authoritative\n---\n"
)
SEALS = _HEAD.format(title="Seals of pump P-7", labels="maintenance") + (
    f"# Seals of pump P-7\n\n{faults.SEAL} The gland nuts are tightened evenly to 35 Nm.\n"
)
GATE = _HEAD.format(title="Gate", labels="maintenance, drivers") + (
    "# Gate\n\nThe gate of the plant opens at 06:15 on working days.\n"
)


def written(folder, **more):
    """Write the documents, and more of them by name, into a folder; return it."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in {"seals": SEALS, "gate": GATE, **more}.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    return folder


def document(title, body, labels="maintenance"):
    """Return one more document."""
    return _HEAD.format(title=title, labels=labels) + f"# {title}\n\n{body}\n"


def filled(folder, **more):
    """Make a store of the documents, and return its folder."""
    with Remit.open(folder / "store", environ={}, make=True, now=lambda: NOW) as remit:
        report = remit.ingest([written(folder / "documents", **more)])
        assert [] == list(report.rejected)
    return folder / "store"


def opened(store, server=None, path="said", *, url=None, limits=None, rerank=None, **chat):
    """Open the store with the endpoint as its model; without one, with none."""
    address = url or (server and f"http://127.0.0.1:{server.server_port}/{path}")
    said = ChatSettings(kind="openai", url=address, model="m", **chat) if address else None
    return Remit.open(
        store, settings=Settings(chat=said, limits=limits or Limits(), rerank=rerank or RerankChoice()), now=lambda: NOW
    )


def entries(remit, done, kind):
    """Return what was recorded of one kind."""
    return [entry.data for entry in remit.trace(done.trace, principal=None).entries if entry.kind == kind]


def result(done):
    """Return what an asker gets: decision, reason, answer and quotations."""
    outcome = done.outcome
    quotes = [citation.quote for citation in outcome.citations]
    return str(outcome.decision.action), outcome.decision.reason, outcome.answer, quotes
