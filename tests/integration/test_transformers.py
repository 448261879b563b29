"""Local Hugging Face weights: tiny random models made here, without a hub; skipped where torch is not installed.

To run them: scripts/test-torch tests/integration/test_transformers.py
"""

import os
import threading
import time
from importlib.util import find_spec

import pytest

from remit.adapters.causal import CausalLm
from remit.adapters.transformers import TransformersChat, TransformersEncode
from remit.answer.entail import Asserted
from remit.answer.judges import EncoderJudge
from remit.contract.budget import Budget, Limits
from remit.errors import Cancelled, MissingPrerequisite, ProviderFailed
from remit.llm.cancel import Patience
from remit.llm.chat import NOT_ASKED, Message, Wanted
from remit.llm.encode import Pair
from remit.repair.lm import LmPlanner
from remit.repair.parse import parse
from remit.repair.plan import Plan
from remit.repair.prompt import messages
from remit.repair.state import on_policy
from remit.testing import ChatSuite
from remit.testing.planner import STATES

pytestmark = [
    pytest.mark.integration,
    pytest.mark.torch,
    pytest.mark.filterwarnings("default"),  # torch and transformers warn of themselves
]
with_torch = pytest.mark.skipif(
    find_spec("torch") is None or find_spec("transformers") is None,
    reason="no torch and transformers here: pip install 'remit[local]' in an environment of their own",
)
WORDS = "pump seal valve gate opens replaced every months is the a of to in nm yes no answer quote".split()  # noqa: SIM905
SPECIAL = {"unk_token": "<unk>", "bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>"}
ASKED = (Message("system", "Answer in one word."), Message("user", "Is the valve open? \ud800 \u0645"))


def tokenizer_in(folder):
    """Write a word tokenizer and return its size and special tokens."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    vocabulary = {word: number for number, word in enumerate([*SPECIAL.values(), *WORDS])}
    words = Tokenizer(models.WordLevel(vocabulary, unk_token=SPECIAL["unk_token"]))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    PreTrainedTokenizerFast(tokenizer_object=words, **SPECIAL).save_pretrained(folder)
    return len(vocabulary)


@pytest.fixture(scope="module")
def causal(tmp_path_factory):
    """Return the folder of a random causal model of two layers that never ends a reply by itself."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    folder = tmp_path_factory.mktemp("causal")
    size = tokenizer_in(folder)
    torch.manual_seed(7)
    shape = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
    model = LlamaForCausalLM(LlamaConfig(vocab_size=size, max_position_embeddings=4096, eos_token_id=2, **shape))
    with torch.no_grad():
        model.lm_head.weight[:4] = 0.0
        model.lm_head.weight[0] = -model.lm_head.weight[4:].abs().sum(0)
    model.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def crossing(tmp_path_factory):
    """Return a function that makes the folder of a random cross-encoder with these labels."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification

    def make(*labels):
        folder = tmp_path_factory.mktemp("crossing")
        size = tokenizer_in(folder)
        torch.manual_seed(3)
        config = BertConfig(
            vocab_size=size,
            hidden_size=32,
            intermediate_size=64,
            num_hidden_layers=1,
            num_attention_heads=2,
            num_labels=len(labels),
            id2label=dict(enumerate(labels)),
            label2id={label: number for number, label in enumerate(labels)},
        )
        BertForSequenceClassification(config).save_pretrained(folder)
        return folder

    return make


def ask(chat, **given):
    """Return the chat's reply."""
    asked = {"max_tokens": 8, "temperature": 0.0, "patience": Patience()} | given
    return chat.reply(ASKED, **asked)


@with_torch
class TestTransformersChat(ChatSuite):
    @pytest.fixture
    def chat(self, causal):
        """Return the random model."""
        return TransformersChat(causal)

    @pytest.fixture
    def slow(self, causal):
        """Return the model where every step waits."""
        chat = TransformersChat(causal)
        chat.reply(ASKED, max_tokens=1, temperature=0.0, patience=Patience())
        model = chat._weights.loaded()[2]
        model.register_forward_pre_hook(lambda *given: time.sleep(0.1))
        chat_reply = chat.reply
        chat.reply = lambda messages, **given: chat_reply(messages, **{**given, "max_tokens": 600})
        return chat

    @pytest.fixture
    def failing(self, causal):
        """Return a model without room for any prompt."""
        return TransformersChat(causal, context=4)


@with_torch
def test_the_same_messages_give_the_same_reply(causal):
    """Whatever was asked before, at temperature 0 and, by its seed, above it."""
    chat = TransformersChat(causal)
    for temperature in (0.0, 1.0):
        first = ask(chat, temperature=temperature)
        ask(chat, temperature=0.5)
        assert first == ask(chat, temperature=temperature)
    assert TransformersChat(causal, seed=1).name == chat.name


@with_torch
def test_log_probabilities_come_where_they_are_wanted(causal):
    """One a token, at most 0, the likeliest tokens at temperature 0; elsewhere None and why."""
    plain = TransformersChat(causal)
    reply = ask(plain.wanting(Wanted(logprobs=True)))
    assert (8, "length") == (len(reply.tokens), reply.stop)
    assert all(token.logprob <= 0 for token in reply.tokens)
    assert (reply.text, None, NOT_ASKED) == (ask(plain).text, ask(plain).tokens, ask(plain).no_tokens)


@with_torch
def test_a_schema_cannot_be_kept_to(causal):
    """There is no grammar here: the error says which setting to change."""
    with pytest.raises(ProviderFailed, match=r"chat\.structured"):
        TransformersChat(causal).wanting(Wanted({"type": "object"}))


@with_torch
def test_a_prompt_beyond_the_context_is_refused(causal):
    """Nothing is cut off silently."""
    with pytest.raises(ProviderFailed, match="context"):
        ask(TransformersChat(causal, context=10))


@with_torch
def test_a_long_prompt_ends_with_the_signal(causal):
    """While the prompt is read the signal is looked at between batches."""
    chat, patience = TransformersChat(causal), Patience()
    ask(chat, max_tokens=1)
    threading.Timer(0.01, patience.stop.set).start()
    with pytest.raises(Cancelled):
        chat.reply((Message("user", "pump " * 3900),), max_tokens=100, temperature=0.0, patience=patience)


@with_torch
def test_names_tell_two_weights_apart(causal, crossing):
    """Caches and traces hold weights apart by their content, and the name stays the same from call to call."""
    assert TransformersChat(causal).name == TransformersChat(causal).name
    assert TransformersEncode(crossing("one")).name != TransformersEncode(crossing("a", "entailment")).name


@with_torch
def test_pairs_are_scored_the_same_in_any_batch(crossing):
    """One number a pair, whatever stands beside it."""
    encode = TransformersEncode(crossing("score"))
    pairs = [Pair("the pump", "seal"), Pair("valve", "gate opens every months"), Pair("a", "pump " * 900)]
    scores = encode.encode(pairs)
    assert (3,) == scores.shape
    assert [scores[1]] == list(encode.encode(pairs[1:2]))
    assert (0,) == encode.encode([]).shape


@with_torch
def test_entailment_is_found_by_its_label(crossing):
    """A model with several outputs gives the probability of entailment, and is refused where it has none."""
    encode = TransformersEncode(crossing("contradiction", "ENTAILMENT", "neutral"))
    assert 0 < encode.encode([Pair("pump", "seal")])[0] < 1
    with pytest.raises(MissingPrerequisite, match="entailment"):
        TransformersEncode(crossing("a", "b", "c")).encode([Pair("pump", "seal")])


@with_torch
def test_a_cross_encoder_judges_what_quotations_entail(crossing):
    """A verdict for each statement, with the model's own number; the same alone and beside another."""
    judge = EncoderJudge(TransformersEncode(crossing("contradiction", "entailment")), threshold=0.0)
    asserted = (Asserted("is the valve open", "yes", ("the valve opens",)), Asserted("pump", "seal", ("gate",)))
    both, alone = (judge.judge(given, Budget.of(Limits(), 0.0), Patience()) for given in (asserted, asserted[:1]))
    assert ["supported", "supported"] == [one.verdict for one in both.verdicts]
    assert both.verdicts[:1] == alone.verdicts
    assert all(0 < one.score < 1 for one in both.verdicts)


@with_torch
def test_weights_that_are_not_here_are_not_fetched(tmp_path):
    """A name that is in no cache, or an empty folder: the error says what to give; nothing is downloaded."""
    for name in ("nobody/nothing-of-that-name", str(tmp_path)):
        began = time.monotonic()
        with pytest.raises(MissingPrerequisite, match="hf download"):
            ask(TransformersChat(name))
        assert time.monotonic() - began < 30


@pytest.mark.skipif(find_spec("torch") is not None, reason="torch is here")
@pytest.mark.parametrize("call", [lambda: ask(TransformersChat("x")), lambda: TransformersEncode("x").encode([])])
def test_without_torch_the_extra_is_named(call):
    """The error says what to install."""
    with pytest.raises(MissingPrerequisite, match=r"remit\[local\]"):
        call()


def left():
    """Return a full budget with minutes to go."""
    return Budget.of(Limits(seconds=600.0), time.monotonic())


@with_torch
def test_the_log_probability_of_a_reply_is_that_of_its_tokens(causal):
    """What a reply was drawn with is what the model says of it afterwards; another reply has another."""
    model = CausalLm(causal, context=400)
    reply = model.wanting(Wanted(logprobs=True)).reply(ASKED, max_tokens=6, temperature=0.0, patience=Patience())
    said = sum(token.logprob for token in reply.tokens)
    text = " ".join(token.text.strip() for token in reply.tokens)
    assert model.log_probability(ASKED, text, Patience()) == pytest.approx(said, abs=1e-3)
    assert model.log_probability(ASKED, "pump pump pump", Patience()) < 0
    with pytest.raises(ProviderFailed):
        model.log_probability(ASKED, "", Patience())


@with_torch
def test_a_language_model_planner_plans_samples_and_says_how_likely_a_plan_is(causal):
    """Random weights write no plan, which is a value; the plan's own text has a log-probability under the same prompt."""
    planner = LmPlanner(CausalLm(causal, context=4096), passages=1, max_tokens=12)
    state = STATES["one passage lacks the fact"]
    proposal, plan = planner.propose(state, left(), frozenset(), Patience())
    assert (None, planner.name) == (plan, proposal.policy)
    assert proposal.cost.model_calls == 1
    text, found = planner.sample(on_policy(state), seed=1, temperature=1.0, patience=Patience())
    assert text
    assert not isinstance(found, Plan)
    wanted = parse("docs = Retrieval(question, 5)\nfinal_answer = GenerateAnswer(question, docs)")
    assert planner.log_probability(wanted, state, Patience()) < 0


@with_torch
@pytest.mark.slow
def test_a_real_small_model_writes_and_weighs_plans():
    """SmolLM2-135M: whatever it writes is a plan or no plan, and a plan is likelier to it than its lines in disorder."""
    folder = os.environ.get("REMIT_TEST_LM")
    if not folder:
        pytest.skip("REMIT_TEST_LM names no folder of a causal language model")
    planner = LmPlanner(CausalLm(folder), passages=1, max_tokens=60)
    state = STATES["one passage lacks the fact"]
    assert planner.propose(state, left(), frozenset(), Patience()).proposal.cost.model_calls == 1
    plan = parse("docs = Retrieval(question, 5)\nfinal_answer = GenerateAnswer(question, docs)")
    asked = messages(on_policy(state), most=1)
    model = CausalLm(folder)
    right = planner.log_probability(plan, state, Patience())
    wrong = model.log_probability(
        asked, "question docs 5 = ) ( Retrieval GenerateAnswer final_answer docs , = (", Patience()
    )
    assert right > wrong
