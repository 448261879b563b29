"""Permission and duty: leave for one thing is no leave for another."""

import pytest
from written import asked

from remit.answer.carry import Statement, carried
from remit.answer.modality import demanded


@pytest.mark.parametrize(
    ("text", "language", "verbs"),
    [
        ("Bob may sign contracts.", "en", ["sign"]),
        ("Bob may only approve and sign contracts.", "en", ["approv", "sign"]),
        ("Visitors must not be photographed.", "en", ["photograph"]),
        ("Staff are allowed to enter.", "en", ["enter"]),
        ("It was closed on 4 May 2018 and in May 2019.", "en", []),
        ("Bob darf Verträge unterschreiben.", "de", ["unterschreib"]),
        ("Bob peut signer les contrats.", "fr", ["sign"]),
        ("Bob reads contracts.", "en", []),
    ],
)
def test_the_verb_of_a_permission_is_found(text, language, verbs):
    """Behind the modal, joined verbs too; at the clause's end in German; the month is no modal."""
    assert verbs == demanded(text, language)


@pytest.mark.parametrize(
    ("question", "form", "said", "quote", "stands"),
    [
        ("Who may sign contracts?", "text", "Bob may sign contracts.", "Bob may read contracts.", False),
        ("Who may sign contracts?", "text", "Bob may sign contracts.", "Bob may sign contracts.", True),
        ("Who may sign contracts?", "text", "Contracts may be signed by Bob.", "Bob may sign contracts.", True),
        ("Who may sign contracts?", "name", "Bob", "Bob may read contracts.", False),
        ("Who may sign contracts?", "name", "Bob", "Bob may sign contracts.", True),
        ("Who may sign contracts?", "name", "Bob", "Bob may approve and sign contracts.", True),
        ("Who may sign large contracts?", "name", "Bob", "Bob may sign contracts.", True),
        ("Who may sign contracts?", "name", "Bob", "Bob signs all contracts.", True),
        ("May Bob sign contracts?", "boolean", "Yes", "Bob may read contracts.", False),
        ("May Bob sign contracts?", "boolean", "Yes", "Bob may sign contracts.", True),
        ("How long must the seal be flushed?", "number", "10 minutes", "The seal is flushed for 10 minutes and may then be opened.", True),
        ("Can fish live in the sound?", "boolean", "Yes", "Fish live in the sound and may be caught.", True),
        ("Wer darf Verträge unterschreiben?", "name", "Bob", "Bob darf Verträge lesen.", False),
        ("Wer darf Verträge unterschreiben?", "name", "Bob", "Bob darf Verträge unterschreiben.", True),
    ],
)  # fmt: skip
def test_leave_for_one_thing_is_none_for_another(question, form, said, quote, stands):
    """The verb of the permission stands in what is quoted, whether the statement names it or only the question does."""
    contract = asked(question)
    assert stands == (carried(Statement(said, form), contract, [quote]) is not None)
