"""A store of invented films and the people who made them, with questions that take two passages to answer."""

import json

from small_store import NOW, document

from remit import Remit

_FIRST = (
    "Anselm",
    "Berta",
    "Casimir",
    "Dorothea",
    "Egon",
    "Frieda",
    "Gustav",
    "Hedwig",
    "Isidor",
    "Jutta",
    "Konrad",
    "Lotte",
)
_LAST = ("Abendroth", "Birnbaum", "Cordes", "Dingelstedt", "Eichhorn", "Fahrenkamp", "Grabowski", "Hohenadel")
_WHAT = (
    "Glass",
    "Winter",
    "Harbour",
    "Lantern",
    "Orchard",
    "Railway",
    "Silver",
    "Thunder",
    "Velvet",
    "Meadow",
    "Copper",
    "Raven",
)
_MONTHS = ("January", "March", "May", "July", "September", "November")


def made(count):
    """Return documents by name, and questions with their golden answers."""
    documents, questions = {}, []
    for number in range(count):
        who = f"{_FIRST[number % 12]} {_LAST[(number * 5) % 8]}"
        film = f"The {_WHAT[number % 12]} {('Road', 'House', 'Letter')[number % 3]}"
        died = f"{_MONTHS[number % 6]} {number % 27 + 1}, {1940 + number}"
        documents[f"film{number}"] = document(
            film,
            f"{film} is a {1920 + number} silent film directed by {who}. It was shot in {number + 3} days.",
            labels="public",
        )
        documents[f"maker{number}"] = document(
            who,
            f"{who} (April 2, {1880 + number} - {died}) was a film director. The family kept a bakery.",
            labels="public",
        )
        questions.append((f"When did the director of film {film} die?", died))
    return documents, questions


def filled(folder, count=16):
    """Make a store and a file of questions below a folder; return the folder."""
    documents, questions = made(count)
    texts = folder / "texts"
    texts.mkdir(parents=True)
    for name, text in documents.items():
        (texts / f"{name}.md").write_text(text, encoding="utf-8")
    with Remit.open(folder / "films", environ={}, make=True, now=lambda: NOW) as remit:
        assert [] == list(remit.ingest([texts]).rejected)
    lines = [
        {"id": f"q{number}", "question": asked, "golden_answers": [golden], "metadata": {}}
        for number, (asked, golden) in enumerate(questions)
    ]
    (folder / "questions.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return folder
