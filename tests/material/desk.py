"""A folder of files, a store and an encoder, to ingest with as little writing as possible."""

from hashing import HashingEmbed
from shelf import NOW, scope_of, seen

from remit.corpus.ingest import ingest
from remit.corpus.sqlite import SqliteCorpus

STAFF = scope_of("staff")


class Desk:
    """A folder of files, a store and an encoder, to ingest with as little writing as possible."""

    def __init__(self, folder):
        self.folder = folder / "docs"
        self.folder.mkdir()
        self.corpus = SqliteCorpus.open(folder / "store", create=True)
        self.embed = HashingEmbed()
        self.steps = []

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def ingest(self, *paths, now=NOW, **given):
        self.steps.clear()
        return ingest(paths or [self.folder], self.corpus, self.embed, now=now, step=self.steps.append, **given)

    def seen(self, scope=STAFF, **given):
        return seen(self.corpus, scope, **given)
