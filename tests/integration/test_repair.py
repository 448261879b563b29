"""What the default planner does with real text: what the paper's figure 1 does, a missing hop, a right draft left alone."""

import re

import faults
import pytest
from small_store import NOW, document, opened

from remit import Principal, Remit
from remit.repair.ops import DecomposeQuery, GenerateAnswer, Retrieval
from remit.repair.planner import State
from remit.rerank.choice import RerankChoice
from remit.settings import PlannerSettings, Settings

pytestmark = pytest.mark.integration

ASHA = Principal(id="asha", groups=("readers",))
ACT = "The Banking Regulation Act, 1949 is the act which governs the working of all banking companies in India."
LAW = {
    "banking": (
        "Banking Regulation Act, 1949",
        f"{ACT} It gives the Reserve Bank of India the power to license banks and to supervise their operations.",
    ),
    "companies": (
        "Companies Act, 2013",
        "The Companies Act, 2013 regulates incorporation of a company and the responsibilities of its directors.",
    ),
    "reserve": (
        "Reserve Bank of India Act, 1934",
        "The Reserve Bank of India Act, 1934 is the legislative act under which the Reserve Bank of India was formed.",
    ),
}
GOVERNS = "Which act governs the working of banking companies in India?"
DIED = "When did the director of film It Happened Out West die?"
FILM = "It Happened Out West is a 1937 American Western film directed by Howard Bretherton and starring Paul Kelly."
DIRECTOR = "Howard Bretherton (February 13, 1890 - April 12, 1969) was an American film director. He died in San Diego."
OTHER = (
    "It Happened {what} is a {year} American film; its director did not see how it ended, and nobody of its cast did die "
    "out west while the film was made."
)


FIRST = RerankChoice(policy="cutoff")
"""The search's first passages are sent: what is wrong among them, or missing, is what these tests are about."""


def store(folder, documents):
    """Make a store of documents that readers may read."""
    texts = folder / "texts"
    texts.mkdir()
    for name, (title, text) in documents.items():
        (texts / f"{name}.md").write_text(document(title, text, labels="readers"), encoding="utf-8")
    with Remit.open(folder / "store", environ={}, make=True, now=lambda: NOW) as remit:
        assert [] == list(remit.ingest([texts]).rejected)
    return folder / "store"


@pytest.fixture(scope="module")
def law(tmp_path_factory):
    """Return a store with three statutes."""
    return store(tmp_path_factory.mktemp("law"), LAW)


@pytest.fixture(scope="module")
def films(tmp_path_factory):
    """Return a store in which a film's director is not among the first passages for a question about the film."""
    others = {f"film{n}": (f"It Happened {n}", OTHER.format(what=f"Number {n}", year=1930 + n)) for n in range(16)}
    own = {"west": ("It Happened Out West", FILM), "howard": ("Howard Bretherton", DIRECTOR)}
    return store(tmp_path_factory.mktemp("films"), {**others, **own})


def operations(done):
    """Return the operations of what was planned."""
    return [type(step.operation) for step in done.planned.plan.steps] if done.planned.plan else []


def says(body):
    """Reply as a model that names the wrong act, until it is shown the passage that holds all first."""
    last = body["messages"][-1]["content"]
    first = re.search(r"\[1\] <<\w+\n(.+)\n", last)[1]
    at = re.search(r"\[(\d+)\] <<\w+\n[^<]*" + re.escape(ACT), last)
    seen.append(first)
    if len(seen) > 1:
        return f"QUOTE [{at[1]}]: {ACT}\nANSWER: Banking Regulation Act, 1949"
    wrong = re.search(r"\[(\d+)\] <<\w+\n[^<]*The Reserve Bank of India Act, 1934 is", last)
    return (
        f"QUOTE [{wrong[1]}]: The Reserve Bank of India Act, 1934 is the legislative act under which the Reserve Bank of "
        "India was formed.\nANSWER: Reserve Bank of India Act, 1934"
    )


seen: list[str] = []


def test_figure_1_ends_in_one_generate_answer(law):
    """The right act is among the passages and the draft fails to name it: answer again, and nothing else."""
    seen.clear()
    with faults.serving() as server:
        server.say = says
        with opened(law, server, rerank=FIRST) as remit:
            done = remit.plan(GOVERNS, principal=ASHA)
    assert "Reserve Bank of India Act, 1934" == done.state.draft.answer
    assert [GenerateAnswer] == operations(done)
    assert "Banking Regulation Act, 1949" == done.repaired.draft.answer
    assert "banking" == done.repaired.draft.citations[0].document


def test_a_missing_second_hop_ends_in_a_decomposition_or_a_new_retrieval(films):
    """The passage on the director was not found: the plan asks for it, and the answer rests on both passages."""
    with Remit.open(films, settings=Settings(rerank=FIRST), environ={}, now=lambda: NOW) as remit:
        done = remit.plan(DIED, principal=ASHA)
        tried, rounds = set(), [done]
        state: State = done.state
        assert not any("Howard" in hit.source.title for hit in state.ranking.hits)
    assert {DecomposeQuery, Retrieval} & set(operations(rounds[0])), tried


def test_the_hop_is_followed_and_both_passages_are_cited(films):
    """The answer to the first question stands in the second; the draft cites the film and its director, each at its span."""
    text = (
        "sub = DecomposeQuery(question)\nfirst = GenerateAnswer(sub[0], doc_list)\nnext = Retrieval(sub[1], 3)\n"
        "final_answer = GenerateAnswer(sub[1], next)"
    )
    from remit.contract.budget import Budget
    from remit.llm.cancel import Patience
    from remit.repair.parse import parse

    with Remit.open(films, environ={}, now=lambda: NOW) as remit:
        state = remit.plan(DIED, principal=ASHA, dry_run=True).state
        patience = Patience()
        ran = remit.parts.line.executor.carried_out(
            parse(text), state, Budget.of(state.contract.limits, patience.clock()), patience
        )
    assert "April 12, 1969" == ran.draft.answer
    assert ["howard", "west"] == [citation.document for citation in ran.draft.citations]
    hits = {hit.passage.id: hit.passage for hit in (*ran.ranking.hits, *state.ranking.hits)}
    for citation in ran.draft.citations:
        passage = hits[citation.passage]
        assert citation.quote == passage.text[citation.start - passage.start : citation.end - passage.start]


@pytest.mark.parametrize("policy", ["template", "encoder"])
def test_a_right_draft_is_left_alone(law, policy):
    """Where the draft is right, no plan is proposed, or the first answer stays."""
    settings = Settings(planner=PlannerSettings(policy=policy))
    with Remit.open(law, settings=settings, now=lambda: NOW) as remit:
        done = remit.plan(GOVERNS, principal=ASHA)
        assert ACT == done.state.draft.citations[0].quote
        assert done.planned.plan is None or done.repaired.draft == done.state.draft
