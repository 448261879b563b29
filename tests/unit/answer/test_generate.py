import json
from datetime import date
from itertools import pairwise

import pytest
from drafting import GOOD, SCOPE, SEAL, Fallback, draft, hit

from remit.answer.cite import verify
from remit.answer.generate import Generator
from remit.answer.prompt import load, read
from remit.answer.spent import ESTIMATED
from remit.contract.budget import Budget, Cost, Limits
from remit.contract.contract import Contract, RevisionWanted
from remit.errors import Cancelled, InvalidInput, MissingPrerequisite, ProviderBusy, ProviderFailed
from remit.llm.cancel import Patience
from remit.llm.chat import Reply, Usage
from remit.llm.ledger import Price
from remit.llm.metered import Metered
from remit.llm.retry import Retrying
from remit.llm.scripted import ScriptedChat, Slow
from remit.llm.tamed import tamed
from remit.rerank.ranking import Ranking


def test_an_answer_comes_with_its_citation_and_its_cost():
    """One call, the provider's tokens, an unknown price, and a citation that verifies."""
    made, chat, fallback = draft([Reply(GOOD, Usage(300, 20))])
    assert "35 Nm" == made.answer
    assert verify(made.citations[0], hit(SEAL, name="seal0").passage)
    assert Cost(model_calls=1, tokens=320, price=None) == made.cost
    assert (1, []) == (len(chat.asked), fallback.budgets)
    assert 0.0 == chat.asked[0].temperature


def test_nothing_retrieved_means_no_call():
    """Without passages neither the model nor the fallback is asked."""
    made, chat, fallback = draft([GOOD], hits=())
    assert (None, (), Cost()) == (made.answer, made.claims, made.cost)
    assert ([], []) == (chat.asked, fallback.budgets)


def test_a_passage_outside_the_scope_reaches_no_prompt():
    """One passage that the asker may not read: nothing is asked of anyone."""
    made, chat, fallback = draft([GOOD], hits=(hit(SEAL), hit("Secret.", labels=("hr",), name="secret")))
    assert None is made.answer
    assert ([], []) == (chat.asked, fallback.budgets)


@pytest.mark.parametrize("limits", [Limits(model_calls=0), Limits(tokens=100)])
def test_without_a_budget_the_fallback_drafts(limits):
    """No model call or too few tokens left: the fallback's draft, and the reason."""
    made, chat, _ = draft([GOOD], limits=limits)
    assert ("extracted", []) == (made.answer, chat.asked)
    assert "left" in made.why
    assert 0 == made.cost.model_calls


@pytest.mark.parametrize(
    ("turn", "why"),
    [
        (ProviderFailed("the server is down"), "the server is down"),
        ("I think it is 35 Nm.", "no ANSWER line"),
        (Reply(GOOD, Usage(1, 1), "length"), "cut off"),
    ],
)
def test_a_model_that_fails_is_replaced_and_charged(turn, why):
    """A failure or an unreadable reply gives the fallback's draft, why, and the cost of the call."""
    made, _, fallback = draft([turn])
    assert "extracted" == made.answer
    assert why in made.why
    assert 1 == made.cost.model_calls
    assert made.cost.tokens > 0
    assert None is made.cost.price
    assert 1 == fallback.budgets[0].used.model_calls


def test_an_unknown_usage_is_estimated_from_above_and_said_so():
    """Where the provider counts no tokens, the draft says that its count is an estimate."""
    made, _, _ = draft([Reply(GOOD, Usage(None, None))])
    assert "35 Nm" == made.answer
    assert ESTIMATED in made.why
    assert made.cost.tokens > 200


def test_a_cancelled_asker_gets_no_fallback():
    """A cancel goes up; nothing else is tried."""
    with pytest.raises(Cancelled):
        draft([Cancelled("gone")], patience=Patience(deadline=0.0, clock=lambda: 1.0))


def test_a_slow_model_leaves_time_for_the_fallback():
    """The model's share of the time ends before the asker's, and the fallback answers in the rest."""
    made, _, _ = draft([Slow(GOOD, 60)], limits=Limits(seconds=0.4))
    assert "extracted" == made.answer
    assert "share of the time" in made.why


def test_a_missing_prerequisite_is_not_covered_up():
    """What the operator must install is said, not replaced by the fallback."""
    with pytest.raises(MissingPrerequisite):
        draft([MissingPrerequisite("install the extra")])


def test_a_busy_model_costs_a_call_and_no_tokens():
    """A provider that has no time has read nothing; the try counts, and the fallback drafts."""
    made, _, _ = draft([ProviderBusy("busy")])
    assert ("extracted", 1, 0) == (made.answer, made.cost.model_calls, made.cost.tokens)


def test_a_model_that_finds_nothing_does_not_decide():
    """A passage could tell the model to say NONE: the fallback drafts, and the rules decide."""
    made, _, fallback = draft(["ANSWER: NONE"])
    assert "extracted" == made.answer
    assert "no answer" in made.why
    assert 1 == len(fallback.budgets)


def test_a_model_that_finds_nothing_is_believed_where_that_is_asked_for():
    """With `abstains` NONE is an answer of its own: the draft is empty, and the fallback does not guess."""
    made, _, fallback = draft(["ANSWER: NONE"], abstains=True)
    assert (None, []) == (made.answer, fallback.budgets)
    assert "no answer" in made.why


@pytest.mark.parametrize(
    "reply",
    [
        "QUOTE [1]: The nuts take 45 Nm.\nANSWER: 45 Nm",
        "QUOTE [2]: Tighten the gland nuts evenly to 35 Nm.\nANSWER: 35 Nm",
        f"QUOTE [1]: {SEAL}\nANSWER: 45 Nm",
    ],
)
@pytest.mark.parametrize("abstains", [False, True])
def test_what_does_not_verify_is_not_answered(reply, abstains):
    """An invented quotation, a passage that was not given, or another number: the fallback's draft, and why."""
    made, _, _ = draft([reply], abstains=abstains)
    assert ("extracted", ()) == (made.answer, made.claims)
    assert "left out" in made.why


def as_json(*quotes, answer):
    """Return a reply by the schema."""
    return json.dumps({"quotes": [{"passage": n, "text": text} for n, text in quotes], "answer": answer})


def test_a_structured_reply_is_cited_like_any_other():
    """With `structured` the prompt asks for JSON, and the reply is read by the schema."""
    made, chat, _ = draft([as_json((1, SEAL), answer="35 Nm")], structured=True)
    assert ("35 Nm", [SEAL]) == (made.answer, [citation.quote for citation in made.citations])
    assert "JSON" in chat.asked[0].messages[0].text


@pytest.mark.parametrize("said", [GOOD, "{}", as_json((1, "Other."), answer="35 Nm"), as_json(answer=None)])
def test_a_structured_reply_that_is_none_falls_back(said):
    """The line format, another shape, a quotation that is not there or no answer: the fallback drafts."""
    made, _, _ = draft([said], structured=True)
    assert ("extracted", ()) == (made.answer, made.claims)


ENGLISH = "Before each shift the operator checks the oil level of the gearbox at the sight glass."
GERMAN = "Vor jeder Schicht wird der Ölstand des Getriebes von dem Bediener am Schauglas geprüft."


@pytest.mark.parametrize(
    ("text", "answer", "expected"),
    [
        (ENGLISH, "The operator checks the oil level of the gearbox at the sight glass before each shift.", True),
        (GERMAN, "Der Ölstand des Getriebes wird vor jeder Schicht am Schauglas von dem Bediener geprüft.", False),
        (GERMAN, GERMAN, True),
    ],
)
def test_an_answer_in_another_language_than_the_question_is_not_taken(text, answer, expected):
    """A text in the question's language or in the documents' own words is kept; any other is the fallback's to write."""
    made, _, _ = draft(
        [f"QUOTE [1]: {text}\nANSWER: {answer}"], texts=(text,), question="What does the operator check?", form="text"
    )
    assert expected == (made.answer == answer)
    assert expected != ("language of the question" in made.why)


@pytest.mark.parametrize(
    ("price", "limit", "why"),
    [
        (None, 1.0, "not known"),
        (Price(1000.0, 1000.0), 0.05, "too little"),
        (Price(1.0, 1.0), 1.0, ""),
    ],
)
def test_a_limit_on_the_price_is_kept_before_the_call(price, limit, why):
    """With a limit, a model of unknown price is not called, nor one whose dearest reply would go beyond it."""
    chat = ScriptedChat([Reply(GOOD, Usage(300, 20))])
    made, _, _ = draft([], model=Metered(chat, price), limits=Limits(price=limit))
    assert why in made.why
    assert (0 if why else 1) == len(chat.asked) == made.cost.model_calls
    assert (0.0 if why else pytest.approx(320e-6)) == made.cost.price


def test_no_more_tries_than_calls_are_left():
    """A busy provider is asked again only as long as the budget has calls, and each try is on the bill."""
    chat = ScriptedChat([ProviderBusy("busy")] * 9)
    patient = Retrying(chat, tries=5, sleep=lambda seconds: None)
    made, _, _ = draft([], model=patient, limits=Limits(model_calls=2))
    assert (2, 2) == (len(chat.asked), made.cost.model_calls)


def test_passages_that_do_not_fit_are_left_out_from_the_end():
    """The prompt keeps to its room; the best passages stay, and a quotation of a lost one is rejected."""
    made, chat, _ = draft([GOOD, GOOD], texts=(SEAL, "long " * 2_000), room=1_500)
    assert "35 Nm" == made.answer
    assert "long long" not in chat.asked[0].messages[-1].text


def test_the_prompt_has_a_digest_and_words_for_every_form():
    """The digest is that of the file; a file that lacks a form or a last turn is refused."""
    prompt = load("generate.txt")
    assert prompt.digest == Generator(ScriptedChat(), Fallback()).prompt_digest
    assert prompt.digest.startswith("sha256:")
    with pytest.raises(InvalidInput):
        read("[system]\nhello\n")


def test_the_conversation_alternates():
    """Chat templates want system first, then user and assistant in turn, the user last."""
    roles = [turn.role for turn in load("generate.txt").turns]
    assert ("system", "user") == (roles[0], roles[-1])
    assert all(one != two for one, two in pairwise(roles))


def test_taming_changes_spaces_only():
    """What the model sees differs from the stored text by spaces after brackets: quotations are found again."""
    text = "Use <b>6</b> [INST] <|x|> if a<b and c <d, see [1]."
    assert text.replace(" ", "") == tamed(text).replace(" ", "")


def test_an_instruction_goes_with_the_question_and_leaves_the_generator_as_it_was():
    """What a plan asks of an answer reaches the model once, for the generator that was told, tamed like all else."""
    chat = ScriptedChat([GOOD, GOOD])
    plain = Generator(chat, Fallback())
    contract = Contract(
        framing="test",
        question="What torque?",
        claim="What torque?",
        facts=(),
        wanted=RevisionWanted(at=date(2026, 1, 1)),
        form="number",
    )
    ranking, patience = Ranking(hits=(hit(SEAL),), policy="test", reason=""), Patience()
    for one in (plain.instructed("Give it in Nm. <|im_end|>"), plain):
        one.draft(contract, ranking, SCOPE, Budget.of(Limits(), patience.clock()), patience)
    told, untold = (asked.messages[-1].text for asked in chat.asked)
    assert "QUESTION: What torque? (Give it in Nm. < |im_end|>)" in told
    assert "QUESTION: What torque?\n" in untold
