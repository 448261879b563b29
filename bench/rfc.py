"""Superseded revisions of a real corpus: what an RFC that was obsoleted still answers, today and as of its date.

    bench/rfc.py FOLDER [--obsoleted 200] [--kilobytes 60] [--report bench/results/rfc.md]

FOLDER holds the RFCs of Debian (non-free, 240 MB; Remit ships none of their text):

    apt-get download doc-rfc-std doc-rfc-old-std doc-rfc-std-proposed
    for file in doc-rfc-*.deb; do dpkg-deb -x "$file" FOLDER; done

An RFC is a document `RFC2616` with one revision, valid from the month it was published; what it obsoletes it supersedes
(`RFC2068@1`), whose validity then ends. The shortest obsoleted RFCs are taken, with all that obsolete them; of each the
first `--kilobytes`. Each one's title is then searched for, today and as of the day it was published.
"""

import argparse
import gzip
import json
import sys
import tempfile
import time
from datetime import UTC, date, datetime
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from remit.access.scope import Scope
from remit.contract.contract import RevisionWanted
from remit.corpus.ingest import ingest
from remit.corpus.sqlite import SqliteCorpus
from remit.corpus.stated import stated
from remit.errors import RemitError
from remit.llm.embed import Embed
from remit.retrieve.hybrid import HybridRetriever
from remit.retrieve.index import Index
from remit.retrieve.retriever import Search

ENCODERS = ("remit.adapters.static:StaticEncoder", "remit.adapters.minilm:MiniLm")
"""The fastest first."""
TODAY = date(2026, 11, 30)
EVERYONE = Scope(principal="bench", labels=frozenset({"public"}), policy="bench")
K = 10


class Rfc(NamedTuple):
    id: str
    title: str
    published: date
    pages: int
    obsoletes: tuple[str, ...]
    text: Path


def read_rfcs(folder: Path) -> dict[str, Rfc]:
    """Return the RFCs below a folder that have a text and a date."""
    texts = {path.name.partition(".")[0]: path for path in sorted(folder.rglob("rfc[0-9]*.txt.gz"))}
    found = {}
    for path in sorted(folder.rglob("rfc[0-9]*.json")):
        said = json.loads(path.read_text(encoding="utf-8"))
        text = texts.get(path.name.partition(".")[0])
        if text is None or not said.get("pub_date"):
            continue
        published = datetime.strptime(said["pub_date"].strip(), "%B %Y").replace(tzinfo=UTC).date()
        pages = int(said["page_count"]) if str(said.get("page_count")).isdecimal() else 999
        obsoletes = tuple(id.strip() for id in said.get("obsoletes") or () if id.strip())
        found[said["doc_id"]] = Rfc(said["doc_id"], said["title"].strip(), published, pages, obsoletes, text)
    return found


def chosen(rfcs: dict[str, Rfc], most: int) -> tuple[list[Rfc], dict[str, Rfc]]:
    """Return the obsoleted RFCs to ask for, and all RFCs to ingest."""
    later: dict[str, list[Rfc]] = {}
    for rfc in rfcs.values():
        for old in rfc.obsoletes:
            if old in rfcs and rfc.published > rfcs[old].published:
                later.setdefault(old, []).append(rfc)
    old = sorted((rfcs[id] for id in later), key=lambda r: (r.pages, r.id))[:most]
    return old, {r.id: r for one in old for r in (one, *later[one.id])}


def write(rfcs: dict[str, Rfc], known: dict[str, Rfc], folder: Path, kilobytes: int) -> None:
    """Write texts with their sidecars."""
    for rfc in rfcs.values():
        text = gzip.decompress(rfc.text.read_bytes()).decode("utf-8", "replace")[: kilobytes * 1000]
        (folder / f"{rfc.id}.txt").write_text(text, encoding="utf-8")
        # Two of one month: which came first is not told, and a revision cannot end before it begins.
        ended = [f"{id}@1" for id in rfc.obsoletes if id in rfcs and known[id].published < rfc.published]
        said = {
            "document": rfc.id,
            "revision": "1",
            "title": rfc.title[:500],
            "labels": ["public"],
            "status": "current",
            "valid_from": str(rfc.published),
            "supersedes": ended,
        }
        (folder / f"{rfc.id}.txt.meta.yaml").write_text(json.dumps(said), encoding="utf-8")


def fastest() -> Embed:
    """Return the fastest encoder that works here."""
    for place in ENCODERS:
        module, _, name = place.partition(":")
        try:
            encoder: Embed = getattr(import_module(module), name)()
            encoder.embed(["ready"])
        except (ImportError, RemitError) as error:
            print(f"{place}: {error}", file=sys.stderr)
        else:
            return encoder
    raise SystemExit("no encoder works here: remit doctor says why")


def main() -> int:
    """Ingest, search, print; 1 where an obsoleted text came back for today, or one was not found as of its date."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--obsoleted", type=int, default=200)
    parser.add_argument("--kilobytes", type=int, default=60)
    parser.add_argument("--report", type=Path)
    given = parser.parse_args()
    if given.folder is None:
        print("no folder of RFCs named: nothing measured (bench/rfc.py --help says how to get them)")
        return 0
    rfcs = read_rfcs(given.folder)
    old, taken = chosen(rfcs, given.obsoleted)
    with tempfile.TemporaryDirectory(prefix="remit-rfc-") as work:
        texts, store = Path(work) / "texts", Path(work) / "store"
        texts.mkdir()
        write(taken, rfcs, texts, given.kilobytes)
        lines = measure(texts, store, old, len(rfcs))
    lines[1] += f" The shortest obsoleted RFCs with all that obsolete them, the first {given.kilobytes} kB of each."
    print("\n".join(lines))
    if given.report:
        given.report.parent.mkdir(parents=True, exist_ok=True)
        given.report.write_text("# Obsoleted RFCs\n\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return 0 if any("**0** brought" in line for line in lines) else 1


def measure(texts: Path, store: Path, old: list[Rfc], known: int) -> list[str]:
    """Return what was found, line by line."""
    encoder = fastest()
    with SqliteCorpus.open(store, create=True) as corpus, Index(store) as index:
        began = time.perf_counter()
        report = ingest([texts], corpus, encoder, now=datetime.now(UTC), fill=stated(collection="rfc"))
        took = time.perf_counter() - began
        retriever = HybridRetriever(corpus, encoder, index=index)
        retriever.caught_up(report)
        snapshot = corpus.snapshot()
        gone = {rfc.id for rfc in old}

        def found(title: str, at: date) -> list[str]:
            search = Search(title, K, RevisionWanted(at=at))
            return [hit.passage.document for hit in retriever.search(search, EVERYONE, snapshot).hits]

        began = time.perf_counter()
        today = {rfc.id: found(rfc.title, TODAY) for rfc in old}
        then = {rfc.id: found(rfc.title, rfc.published) for rfc in old}
        each = (time.perf_counter() - began) / max(1, 2 * len(old))
    leaked = [id for id, hits in today.items() if gone & set(hits)]
    wrong = f": {', '.join(leaked)}" if leaked else ""
    seen = sum(id in hits for id, hits in then.items())
    first = sum(hits[:1] == [id] for id, hits in then.items())
    return [
        f"{known} RFCs in the packages, {report.revisions} ingested ({report.passages} passages), {len(report.rejected)} rejected.",
        f"The ingest took {took:.0f} s with `{encoder.name}`.",
        "",
        f"- {len(old)} obsoleted RFCs, each searched for today by its title, {K} passages: **{len(leaked)}** brought an obsoleted text back{wrong}.",
        f"- As of the day it was published, its own text is among the {K} passages for {seen} of {len(old)}, and the first one for {first}.",
        f"- {1000 * each:.1f} ms a search, the encoding of the title included.",
    ]


if __name__ == "__main__":
    sys.exit(main())
