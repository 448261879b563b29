"""Chat and cross-encoding with local Hugging Face weights, in this process (extra `local`: torch, transformers).

Nothing is downloaded: a name is looked up in the local cache of the hub only, and code that comes with weights is not run.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import numpy as np

from remit.errors import MissingPrerequisite, ProviderFailed
from remit.llm.cancel import Patience
from remit.llm.chat import NOT_ASKED, Chat, Message, Reply, Stop, Token, Usage, Wanted
from remit.llm.encode import Pair, Scores

BATCH: Final = 128
"""Tokens of a prompt read between two looks at the cancel signal. A reply is looked at after each token."""

_SAMPLE: Final = 1 << 18
_SLICE: Final = 0.25
_ENTAILS: Final = "entailment"


class TransformersChat:
    """A causal language model from a folder, or by name where it lies in the local cache. It loads at the first reply.

    Replies come one at a time; a call waits for its turn as long as its patience lasts. At temperature 0 the likeliest
    token is taken; above it tokens are drawn from `seed` on, the same for each call. Replies cannot be held to a schema.
    """

    def __init__(
        self, model: str | Path, context: int = 4096, threads: int = 1, *, seed: int = 0, wanted: Wanted | None = None
    ) -> None:
        """Take folder or name, the tokens that prompt and reply may have together, and the threads to compute with.

        Raises:
            ProviderFailed: JSON by a schema is wanted: these weights run without a grammar.
        """
        self._weights = _Weights(str(model), "AutoModelForCausalLM", threads)
        self._context = context
        self._seed = seed
        self._wanted = wanted or Wanted()
        if self._wanted.schema is not None:
            raise ProviderFailed("local transformers weights cannot be held to a schema: set chat.structured = false")
        self.name = f"{self._weights.name}{self._wanted.label}"

    def __repr__(self) -> str:
        return f"TransformersChat({self.name!r}, context={self._context})"

    def wanting(self, wanted: Wanted) -> Chat:
        """Return the same weights, asked for that with each call.

        Raises:
            ProviderFailed: JSON by a schema is wanted.
        """
        other = TransformersChat(
            self._weights.model, self._context, self._weights.threads, seed=self._seed, wanted=wanted
        )
        other._weights = self._weights  # loaded once
        return other

    def close(self) -> None:
        """Let go of the weights, after the reply that is under way."""
        self._weights.close()

    def reply(self, messages: tuple[Message, ...], *, max_tokens: int, temperature: float, patience: Patience) -> Reply:
        """Return the model's reply.

        Raises:
            MissingPrerequisite: the extra or the weights are missing.
            ProviderFailed: the prompt is longer than the context, or the reply is empty.
            Cancelled: before the call, while it waits for its turn, or during it, within one batch of tokens.
        """
        patience.check()
        with self._weights.turn(patience):
            torch, tokenizer, model = self._weights.loaded()
            prompt = _prompt(tokenizer, messages)
            if not prompt:
                raise ProviderFailed(f"{self.name}: the prompt holds no token; ask with a text")
            if len(prompt) + max_tokens > self._context:
                raise ProviderFailed(
                    f"{self.name}: {len(prompt)} tokens of prompt and {max_tokens} of reply are more than the context of "
                    f"{self._context}. A larger context or fewer passages make room."
                )
            ends = _ends(tokenizer, model)
            said: list[int] = []
            logprobs: list[float] = []
            stop: Stop = "length"
            with torch.inference_mode():
                for token, logprob in self._tokens(torch, model, prompt, temperature=temperature, patience=patience):
                    if token in ends:
                        stop = "stop"
                        break
                    said.append(token)
                    logprobs.append(logprob)
                    if len(said) == max_tokens:
                        break
            text = str(tokenizer.decode(said, skip_special_tokens=True))
            if not text.strip():
                raise ProviderFailed(f"{self.name}: the reply is empty; ask again or use another model")
            usage = Usage(len(prompt), len(said) + (stop == "stop"))
            if not self._wanted.logprobs:
                return Reply(text, usage, stop, None, NOT_ASKED)
            spelled = tuple(
                Token(str(tokenizer.decode([token])), value) for token, value in zip(said, logprobs, strict=True)
            )
            return Reply(text, usage, stop, spelled, "")

    def _tokens(
        self, torch: Any, model: Any, prompt: list[int], *, temperature: float, patience: Patience
    ) -> Iterator[tuple[int, float]]:
        """Yield the reply's tokens with their log-probabilities; patience is looked at before each step."""
        chance = torch.Generator().manual_seed(self._seed)
        past: Any = None
        logits: Any = None
        for start in range(0, len(prompt), BATCH):
            patience.check()
            out = model(torch.tensor([prompt[start : start + BATCH]]), past_key_values=past, use_cache=True)
            past, logits = out.past_key_values, out.logits[0, -1]
        while True:
            patience.check()
            scores = torch.log_softmax(logits.float(), dim=-1)
            if temperature > 0:
                weights = torch.softmax(logits.float() / temperature, dim=-1)
                token = int(torch.multinomial(weights, 1, generator=chance))
            else:
                token = int(scores.argmax())
            yield token, min(0.0, float(scores[token]))
            out = model(torch.tensor([[token]]), past_key_values=past, use_cache=True)
            past, logits = out.past_key_values, out.logits[0, -1]


class TransformersEncode:
    """A cross-encoder from a folder, or by name where it lies in the local cache.

    A model with one output gives that number; one that tells entailment from the rest gives its probability. Pairs are
    read one by one, so that a pair has the same score in any batch.
    """

    def __init__(self, model: str | Path, threads: int = 1) -> None:
        """Take folder or name, and the threads to compute with."""
        self._weights = _Weights(str(model), "AutoModelForSequenceClassification", threads)
        self.name = self._weights.name

    def close(self) -> None:
        """Let go of the weights."""
        self._weights.close()

    def encode(self, pairs: Sequence[Pair]) -> Scores:
        """Return one score a pair; a pair longer than the model can read is cut in its longer text.

        Raises:
            MissingPrerequisite: the extra or the weights are missing, or the model has no score to give.
        """
        with self._weights.turn(Patience()):
            torch, tokenizer, model = self._weights.loaded()
            column = self._column(model)
            scores = np.empty(len(pairs), dtype=np.float32)
            with torch.inference_mode():
                for row, pair in enumerate(pairs):
                    read = tokenizer(
                        pair.first,
                        pair.second,
                        truncation="longest_first",
                        max_length=_room(model),
                        return_tensors="pt",
                    )
                    logits = model(**read).logits[0].float()
                    scores[row] = float(logits[0] if column is None else torch.softmax(logits, dim=-1)[column])
        return scores

    def _column(self, model: Any) -> int | None:
        """Return which output is the probability of entailment; None where there is but one output."""
        if model.config.num_labels == 1:
            return None
        for number, label in model.config.id2label.items():
            if str(label).casefold() == _ENTAILS:
                return int(number)
        raise MissingPrerequisite(f"{self.name}: want a cross-encoder with one output, or one labelled {_ENTAILS}")


class _Weights:
    """Tokenizer and model, loaded at their first use; used by one thread at a time."""

    def __init__(self, model: str, kind: str, threads: int) -> None:
        self.model, self.threads, self._kind = model, threads, kind
        self.name = f"transformers:{Path(model).name}{_fingerprint(Path(model))}"
        self._lock = threading.Lock()
        self._held: tuple[Any, Any, Any] | None = None

    def turn(self, patience: Patience) -> _Turn:
        """Return a block that waits for its turn as long as patience lasts."""
        return _Turn(self._lock, patience)

    def close(self) -> None:
        """Let go of the weights."""
        with self._lock:
            self._held = None

    def loaded(self) -> tuple[Any, Any, Any]:
        """Return torch, tokenizer and model."""
        if self._held is None:
            torch, transformers = _packages()
            torch.set_num_threads(self.threads)
            try:
                tokenizer = transformers.AutoTokenizer.from_pretrained(
                    self.model, local_files_only=True, trust_remote_code=False
                )
                model = getattr(transformers, self._kind).from_pretrained(
                    self.model, local_files_only=True, trust_remote_code=False, use_safetensors=True
                )
            except (OSError, ValueError, KeyError) as error:
                raise MissingPrerequisite(
                    f"{self.model}: no such weights on this machine ({type(error).__name__}). Give a folder with config, "
                    "tokenizer and safetensors, or fetch them first: hf download NAME"
                ) from error
            self._held = torch, tokenizer, model.eval()
        return self._held


class _Turn:
    def __init__(self, lock: threading.Lock, patience: Patience) -> None:
        self._lock, self._patience = lock, patience

    def __enter__(self) -> None:
        while not self._lock.acquire(timeout=_SLICE):
            self._patience.check()

    def __exit__(self, *raised: object) -> None:
        self._lock.release()


def _packages() -> tuple[Any, Any]:
    try:
        return import_module("torch"), import_module("transformers")
    except ImportError as error:
        raise MissingPrerequisite("local Hugging Face weights need an extra: pip install 'remit[local]'") from error


def _prompt(tokenizer: Any, messages: tuple[Message, ...]) -> list[int]:
    """Return the tokens of a conversation, by the model's own template where it has one."""
    # A lone surrogate is no text: tokenizers refuse it.
    turns = [(message.role, message.text.encode("utf-8", "replace").decode()) for message in messages]
    if getattr(tokenizer, "chat_template", None):
        text = tokenizer.apply_chat_template(
            [{"role": role, "content": words} for role, words in turns], tokenize=False, add_generation_prompt=True
        )
        return list(tokenizer(text, add_special_tokens=False)["input_ids"])
    return list(tokenizer("\n\n".join([*(words for _, words in turns), ""]))["input_ids"])


def _ends(tokenizer: Any, model: Any) -> frozenset[int]:
    """Return the tokens that end a reply, as tokenizer and model name them."""
    said = (tokenizer.eos_token_id, model.generation_config.eos_token_id)
    return frozenset(
        token for each in said for token in (each if isinstance(each, list) else [each]) if token is not None
    )


def _room(model: Any) -> int:
    return int(min(getattr(model.config, "max_position_embeddings", 512), 512))


def _fingerprint(folder: Path) -> str:
    """Return a short digest of a folder's configuration and of samples of its weights; none for a name."""
    if not folder.is_dir():
        return ""
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.iterdir() if path.suffix in {".json", ".safetensors"}):
        size = path.stat().st_size
        digest.update(f"{path.name}:{size};".encode())
        with path.open("rb") as file:
            for start in (0, size // 3, 2 * size // 3, max(0, size - _SAMPLE)):
                file.seek(start)
                digest.update(file.read(_SAMPLE))
    return f"@{digest.hexdigest()[:12]}"
