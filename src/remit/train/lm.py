"""Training of causal language models by TRL: supervised, then by preferences (extra `train`; torch, transformers, trl).

The values of `Schedule` are RePAIR's (appendix); DynamicRAG's are in its recipe. DeepSpeed, LoRA and precision come by
configuration, so that the same code runs on two cores and on a cluster.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from pydantic import ValidationError

from remit.contract.value import Value
from remit.corpus.control import read_toml
from remit.corpus.toml_file import line_of, parsed_toml
from remit.errors import Fault, InvalidInput, MissingPrerequisite, NothingThere
from remit.train.bounds import Above, Count, Many, Seed, Weight
from remit.train.preflight import Cut, cut_off, read_prompt, refuse_cut

Method = Literal["sft", "dpo"]
COLUMNS: Final[dict[Method, tuple[str, ...]]] = {
    "sft": ("prompt", "completion"),
    "dpo": ("prompt", "chosen", "rejected"),
}


class Schedule(Value):
    """How a model is trained. Lengths are tokens; `lora` is a rank, 0 for all weights.

    `steps` ends sooner than epochs; `stop_after` leaves off after so many steps, to be gone on with.
    """

    beta: Above = 0.1
    epochs: Above = 1.0
    rate: Above = 5e-6
    warmup: Weight = 0.1
    bf16: bool = True
    length: Many = 4096
    prompt_length: Many | None = 2048
    batch: Many = 1
    accumulate: Many = 2
    lora: Count = 0
    steps: Many | None = None
    save_steps: Many = 50
    stop_after: Many | None = None
    seed: Seed = 1
    deepspeed: Path | None = None
    cpu: bool = False


def read_schedule(path: Path | None) -> Schedule:
    """Return the schedule of a TOML file, or the paper's where there is none.

    Raises:
        InvalidInput: with a fault for each thing wrong, naming line and field.
    """
    if path is None:
        return Schedule()
    text = read_toml(path)
    raw = parsed_toml(str(path), text)
    try:
        return Schedule.model_validate_json(json.dumps(raw, default=str))
    except ValidationError as error:
        faults = tuple(
            Fault(str(path), line_of(text, one["loc"]), ".".join(map(str, one["loc"])), one["msg"])
            for one in error.errors()
        )
        raise InvalidInput(str(faults[0]), faults) from error


class Trained(NamedTuple):
    """Where the weights are, and the curve: the trainer's own log lines, with losses, margins and accuracies."""

    folder: Path
    curve: tuple[dict[str, float], ...]
    cut: Cut


def examples(path: Path, method: Method) -> list[dict[str, str]]:
    """Return the examples of a JSONL file; columns beyond those of the method are left out.

    Raises:
        NothingThere: there is no such file.
        InvalidInput: a line is no example; file, line and field are named.
    """
    found = []
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError as error:
        raise NothingThere(f"no file {path}: name lines that another training left") from error
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path} cannot be read ({error}): it has to be UTF-8 text that you may read") from error
    for number, line in enumerate(text.splitlines(), 1):
        try:
            row = json.loads(line)
        except ValueError as error:
            raise _wrong(path, number, None, f"is no JSON: {error}") from error
        for column in COLUMNS[method]:
            if not isinstance(row, dict) or not isinstance(row.get(column), str):
                raise _wrong(path, number, column, "want a text")
            if column != "prompt" and not row[column]:
                raise _wrong(path, number, column, "is empty: it would teach the model to say nothing")
        found.append({column: row[column] for column in COLUMNS[method]})
    return found


def train(
    method: Method,
    model: str | Path,
    rows: Sequence[Mapping[str, str]],
    out: Path,
    schedule: Schedule,
    *,
    reference: str | Path | None = None,
) -> Trained:
    """Train a model on examples and save it; an interrupted training goes on from its last checkpoint.

    For preferences, `reference` is the frozen model; left out, it is the model that training starts from. With LoRA it is
    that model without the adapter, which is merged into the weights that are saved.

    Raises:
        MissingPrerequisite: the extra is missing.
        InvalidInput: more than 1 % of the examples would be cut off.
    """
    _needed()
    from transformers import AutoTokenizer  # noqa: PLC0415 - an extra

    tokenizer = AutoTokenizer.from_pretrained(model)
    tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token
    found = cut_off(rows, tokenizer, length=schedule.length, prompt_length=schedule.prompt_length)
    refuse_cut(found, length=schedule.length)
    trainer = _trainer(method, (_loaded(model, schedule), tokenizer), rows, out, schedule, reference=reference)
    last = max(out.glob("checkpoint-*"), key=lambda folder: int(folder.name.rpartition("-")[2]), default=None)
    trainer.train(resume_from_checkpoint=None if last is None else str(last))
    trained = trainer.accelerator.unwrap_model(trainer.model)
    if schedule.lora:
        trained.merge_and_unload().save_pretrained(out)
    else:
        trainer.save_model(str(out))
    tokenizer.save_pretrained(out)
    curve = tuple({key: float(value) for key, value in line.items()} for line in trainer.state.log_history)
    return Trained(out, curve, found)


def weights_digest(folder: Path) -> str:
    """Return the digest of the weight files of a folder."""
    digest = hashlib.sha256()
    for path in sorted(folder.glob("*.safetensors")):
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    return f"sha256:{digest.hexdigest()}"


def _needed() -> None:
    missing = [name for name in ("torch", "transformers", "trl", "peft", "datasets", "gguf") if find_spec(name) is None]
    if missing:
        raise MissingPrerequisite(f"training a language model needs {', '.join(missing)}: pip install 'remit[train]'")


def unpacked(gguf: Path, folder: Path) -> Path:
    """Return a folder with the weights of a GGUF file in full precision, fit to be trained; it is made once.

    Raises:
        MissingPrerequisite: the extra is missing.
    """
    if (folder / "config.json").exists():
        return folder
    _needed()
    import torch  # noqa: PLC0415 - an extra
    from transformers import AutoModelForCausalLM, AutoTokenizer  # noqa: PLC0415 - an extra

    model = AutoModelForCausalLM.from_pretrained(gguf.parent, gguf_file=gguf.name, dtype=torch.float32)
    # read back into full precision, it is no quantised model any more, and must not be saved as one
    model.hf_quantizer = None
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
    waiting = folder.with_name(folder.name + ".part")
    model.save_pretrained(waiting)
    AutoTokenizer.from_pretrained(gguf.parent, gguf_file=gguf.name).save_pretrained(waiting)
    waiting.replace(folder)
    return folder


def _loaded(model: str | Path, schedule: Schedule) -> Any:
    import torch  # noqa: PLC0415 - an extra
    from transformers import AutoModelForCausalLM  # noqa: PLC0415 - an extra

    kind = torch.bfloat16 if schedule.bf16 else torch.float32
    return AutoModelForCausalLM.from_pretrained(model, dtype=kind)


def _trainer(
    method: Method,
    weights: tuple[Any, Any],
    rows: Sequence[Mapping[str, str]],
    out: Path,
    schedule: Schedule,
    *,
    reference: str | Path | None,
) -> Any:
    from datasets import Dataset  # noqa: PLC0415 - an extra
    from trl import DPOConfig, DPOTrainer, SFTConfig, SFTTrainer  # noqa: PLC0415 - an extra

    model, tokenizer = weights
    data = Dataset.from_list([{**row, "prompt": read_prompt(row["prompt"], tokenizer)} for row in rows])
    shared = {
        "callbacks": [] if schedule.stop_after is None else [_leaving_off(schedule.stop_after)],
        "model": model,
        "train_dataset": data,
        "processing_class": tokenizer,
        "peft_config": _lora(schedule),
    }
    if method == "sft":
        return SFTTrainer(args=SFTConfig(**_how(schedule, out), completion_only_loss=True), **shared)
    # A new adapter is its own reference: TRL switches it off. All weights need a frozen copy of where training starts.
    frozen = None if schedule.lora or reference is None else _loaded(reference, schedule)
    return DPOTrainer(ref_model=frozen, args=DPOConfig(**_how(schedule, out), beta=schedule.beta), **shared)


def _leaving_off(after: int) -> Any:
    from transformers import TrainerCallback  # noqa: PLC0415 - an extra

    class LeavesOff(TrainerCallback):  # type: ignore[misc] # the extra ships no types here
        def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            control.should_training_stop |= state.global_step >= after

    return LeavesOff()


def _how(schedule: Schedule, out: Path) -> dict[str, Any]:
    return {
        "output_dir": str(out),
        "max_length": schedule.length,
        "num_train_epochs": schedule.epochs,
        "max_steps": schedule.steps or -1,
        "learning_rate": schedule.rate,
        "warmup_steps": schedule.warmup,  # below 1, a share of all steps
        "per_device_train_batch_size": schedule.batch,
        "gradient_accumulation_steps": schedule.accumulate,
        "gradient_checkpointing": not schedule.cpu,
        "bf16": schedule.bf16,
        "use_cpu": schedule.cpu,
        "optim": "adamw_torch",
        "seed": schedule.seed,
        "data_seed": schedule.seed,
        "save_steps": schedule.save_steps,
        "save_total_limit": 1,
        "logging_steps": 1,
        "report_to": [],
        "disable_tqdm": False,
        "deepspeed": None if schedule.deepspeed is None else str(schedule.deepspeed),
    }


def _lora(schedule: Schedule) -> Any:
    if not schedule.lora:
        return None
    from peft import LoraConfig  # noqa: PLC0415 - an extra

    return LoraConfig(r=schedule.lora, lora_alpha=2 * schedule.lora, lora_dropout=0.0, task_type="CAUSAL_LM")


def _wrong(path: Path, line: int, field: str | None, error: str) -> InvalidInput:
    fault = Fault(str(path), line, field, error)
    return InvalidInput(str(fault), (fault,))
