"""One frozen tree of settings, from `remit.toml` and the environment it is handed. Only `engine` and `serve` see it.

::

    [ingest]            exclude = ["README.md"], max_megabytes = 20
    [collections.NAME]  title, aliases, discoverable = false, primary = true, expands_to
    [[rules]]           path = "notices/**", and what files there leave out: collection, labels, status, authority, ...
    [limits]            rounds, model_calls, tokens, seconds, price
    [point]             path = "point.json", or name = "single-pass" | "fixed-rules" | "corrective" | ... (docs/governance.md)
    [chat]              kind = "openai" | "gguf" | "transformers", url, model, path, api_key_env, context, threads,
                        max_tokens, structured = false, logprobs = false, abstains = false, understands = false,
                        cache_megabytes = 0, at_once = 2
    [chat.price]        prompt, reply: what a million tokens cost; left out, the price is unknown
    [support]           kind = "none" | "cross-encoder" | "chat": answer/checking.py
    [database]          url = "postgresql://...", schema = "remit": corpus/database.py
    [encoder]           kind = "minilm" | "static" | "sentence-transformers" | "openai": corpus/encoding.py
    [policy]            kind = "groups" | "cedar", files = ["policy.cedar", "labels.json"]
    [planner]           policy = "template" | "cascade" | "prompted" | "encoder" | "lm" | "none", weights = PATH, judge = false
    [rerank]            policy = "encoder" | "cutoff" | "score" | "listwise" | "lm": rerank/choice.py
    [trace]             keep_text = false

The environment goes before the file: REMIT_CHAT_URL, REMIT_CHAT_MODEL, REMIT_CHAT_KEY, REMIT_CHAT_GGUF, REMIT_DATABASE_*.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, Self, get_args

from pydantic import SecretStr

from remit.answer.checking import SupportChoice, support_choice
from remit.contract.budget import Limits
from remit.contract.value import Value
from remit.corpus.control import SECTIONS, Control, control_of, read_toml
from remit.corpus.database import DatabaseChoice, database_choice
from remit.corpus.encoding import EncoderChoice, encoder_choice
from remit.corpus.toml_file import Check, TomlFile, any_number, flag, number, positive, text, texts, url_of, whole
from remit.errors import InvalidInput
from remit.llm.ledger import Price
from remit.rerank.choice import RerankChoice, rerank_choice

ChatKind = Literal["openai", "gguf", "transformers"]
PolicyKind = Literal["groups", "cedar"]
PlannerKind = Literal["cascade", "template", "prompted", "encoder", "lm", "none"]

_KINDS = '"openai", "gguf" or "transformers"'

_LIMITS: dict[str, Check] = {
    "rounds": whole,
    "model_calls": whole,
    "tokens": whole,
    "seconds": number,
    "price": number,
}


class ChatSettings(Value):
    """Which chat model to use. `key` is never shown: not printed, logged or written.

    `structured` and `logprobs` ask the backend for more than text; `abstains` believes a model that finds no answer,
    `understands` has it read the question; `at_once` is how many calls run at the same time.
    """

    kind: ChatKind
    url: str | None = None
    model: str | None = None
    path: Path | None = None
    key: SecretStr | None = None
    context: int = 4096
    threads: int = 1
    max_tokens: int = 512
    structured: bool = False
    logprobs: bool = False
    abstains: bool = False
    understands: bool = False
    cache_megabytes: int = 0
    at_once: int = 2
    price: Price | None = None

    @property
    def backend(self) -> dict[str, Any]:
        """Return what the adapter of this kind is made with."""
        if self.kind == "openai":
            key = None if self.key is None else self.key.get_secret_value()
            return {"url": self.url, "model": self.model, "key": key}
        where = {"path": self.path} if self.kind == "gguf" else {"model": self.model}
        return {**where, "context": self.context, "threads": self.threads}

    @property
    def answers(self) -> dict[str, Any]:
        """Return how answers are drafted with the model."""
        kept = {"max_tokens", "structured", "logprobs", "abstains", "cache_megabytes", "price"}
        return {"room": self.context, **{name: getattr(self, name) for name in kept}}


class PolicySettings(Value):
    """Who holds which labels: their groups, or what the Cedar policies and entities in `files` grant."""

    kind: PolicyKind = "groups"
    files: tuple[Path, ...] = ()


class PlannerSettings(Value):
    """Which policy plans corrections; `cascade` is the trained `encoder`, then `template`. `weights` are a file, for `lm` a folder.

    With `judge`, the chat model says whether the response looks correct, in the place of the estimate without a model.
    """

    policy: PlannerKind = "template"
    weights: Path | None = None
    judge: bool = False


class Settings(Value):
    """All settings. `point` is the file of an operating point or the name of a shipped one; None: no `chat`, no `database`.

    `keep_text` writes the documents' words into traces, not only digests. `source` is the file read, if any.
    """

    control: Control = Control()
    limits: Limits = Limits()
    point: Path | str | None = None
    chat: ChatSettings | None = None
    support: SupportChoice = SupportChoice()
    encoder: EncoderChoice = EncoderChoice()
    database: DatabaseChoice | None = None
    policy: PolicySettings = PolicySettings()
    planner: PlannerSettings = PlannerSettings()
    rerank: RerankChoice = RerankChoice()
    keep_text: bool = False
    source: str | None = None

    @classmethod
    def load(cls, path: Path | None, environ: Mapping[str, str], *, optional: bool = False) -> Self:
        """Return the settings of a `remit.toml`, with what the environment says over them.

        The defaults come where `path` is None, or where there is no such file and it is `optional`.

        Raises:
            NothingThere: there is no such file.
            InvalidInput: with a fault for each thing wrong, naming file, line and field.
        """
        if optional and path is not None and not path.is_file():
            path = None
        file = TomlFile(str(path), "" if path is None else read_toml(path))
        folder = Path() if path is None else path.parent
        file.known(*SECTIONS)
        control = control_of(file)
        limits, point = file.section(("limits",), _LIMITS), _point(file, folder)
        chat = _overridden(_chat(file, folder, environ), environ)
        support = support_choice(file, folder, chat=chat is not None)
        encoder = encoder_choice(file, folder, environ, url_of)
        policy, planner = _policy(file, folder), _planner(file, folder)
        database = database_choice(file, environ)
        rerank = rerank_choice(file, folder, chat=_overridden(chat, environ) is not None)
        trace = file.section(("trace",), {"keep_text": flag})
        file.finish()
        return cls(
            control=control,
            limits=Limits(**limits),
            point=point,
            chat=chat,
            support=support,
            encoder=encoder,
            database=database,
            policy=policy,
            planner=planner,
            rerank=rerank,
            source=None if path is None else str(path),
            **trace,
        )


def _point(file: TomlFile, folder: Path) -> Path | str | None:
    said: dict[str, str] = file.section(("point",), {"path": text, "name": text})
    if len(said) > 1:
        file.wrong(("point",), "want path = ... or name = ..., not both")
    return folder / said["path"] if "path" in said else said.get("name")


def _chat(file: TomlFile, folder: Path, environ: Mapping[str, str]) -> ChatSettings | None:
    checks: dict[str, Check] = {
        "kind": _kind,
        "url": url_of,
        "model": text,
        "path": text,
        "api_key_env": text,
        "context": positive,
        "threads": positive,
        "max_tokens": positive,
        "structured": flag,
        "logprobs": flag,
        "abstains": flag,
        "understands": flag,
        "cache_megabytes": whole,
        "at_once": positive,
        "price": _price,
    }
    said: dict[str, Any] = file.section(("chat",), checks)
    if not said:
        return None
    kind = said.get("kind")
    needed = {"openai": ("url", "model"), "gguf": ("path",), "transformers": ("model",)}
    if kind is None:
        file.wrong(("chat",), f"want kind = {_KINDS}")
        return None
    for key in needed[kind]:
        if key not in said:
            file.wrong(("chat",), f"kind {kind} needs {key} = ...")
    name = said.pop("api_key_env", None)
    secret = environ.get(name) if name else None
    if "path" in said:
        said["path"] = folder / said["path"]
    return ChatSettings(**said, key=SecretStr(secret) if secret else None)


def _policy(file: TomlFile, folder: Path) -> PolicySettings:
    said: dict[str, Any] = file.section(("policy",), {"kind": _policy_kind, "files": texts})
    kind, files = said.get("kind"), said.get("files", ())
    if bool(files) != (kind == "cedar"):
        file.wrong(("policy",), 'want kind = "cedar" and files = [...], both of them, or kind = "groups" and no files')
    return PolicySettings(kind=kind or "groups", files=tuple(folder / name for name in files))


def _planner(file: TomlFile, folder: Path) -> PlannerSettings:
    said: dict[str, Any] = file.section(("planner",), {"policy": _planner_kind, "weights": text, "judge": flag})
    if said.get("policy") == "lm" and "weights" not in said:
        file.wrong(("planner",), "policy lm needs weights = ..., the folder of the language model")
    if "weights" in said:
        said["weights"] = folder / said["weights"]
    return PlannerSettings(**said)


def _overridden(chat: ChatSettings | None, environ: Mapping[str, str]) -> ChatSettings | None:
    said = {name: environ.get(f"REMIT_CHAT_{name}", "").strip() for name in ("URL", "MODEL", "KEY", "GGUF")}
    if said["URL"] and said["GGUF"]:
        raise InvalidInput("REMIT_CHAT_URL and REMIT_CHAT_GGUF are both set: unset one, there is one chat model")
    if said["GGUF"]:
        chat = _of_kind(chat, "gguf").model_copy(update={"path": Path(said["GGUF"])})
    if said["URL"]:
        try:
            url = url_of(said["URL"])
        except ValueError as error:
            raise InvalidInput(f"REMIT_CHAT_URL: {error}") from error
        # A key goes to the place it was meant for, and to no other.
        key = chat.key if chat is not None and chat.url == url else None
        chat = _of_kind(chat, "openai").model_copy(update={"url": url, "key": key})
    if chat is None:
        return None
    update: dict[str, object] = {}
    if said["MODEL"]:
        update["model"] = said["MODEL"]
    if said["KEY"]:
        update["key"] = SecretStr(said["KEY"])
    chat = chat.model_copy(update=update)
    if chat.kind == "openai" and not chat.model:
        raise InvalidInput("REMIT_CHAT_URL names no model: set REMIT_CHAT_MODEL too")
    return chat


def _of_kind(chat: ChatSettings | None, kind: ChatKind) -> ChatSettings:
    # Sizes carry over; a key, a model or a path of another kind of backend must not.
    if chat is None:
        return ChatSettings(kind=kind)
    if chat.kind == kind:
        return chat
    kept = ("context", "threads", "max_tokens", "abstains", "understands", "cache_megabytes", "at_once")
    return ChatSettings(kind=kind, **{name: getattr(chat, name) for name in kept})


def _kind(raw: object) -> str:
    if raw not in get_args(ChatKind):
        raise ValueError(f"want {_KINDS}")
    return str(raw)


def _price(raw: object) -> Price:
    """Return what a million tokens of prompt and of reply cost; 0 is a price, and has to be said."""
    if not isinstance(raw, dict) or set(raw) != {"prompt", "reply"}:
        raise ValueError("want prompt = ... and reply = ..., what a million tokens of each cost")
    each = Price(any_number(raw["prompt"]), any_number(raw["reply"]))
    if min(each.prompt, each.reply) < 0:
        raise ValueError("want numbers, 0 or more")
    return each


def _planner_kind(raw: object) -> str:
    if raw not in get_args(PlannerKind):
        raise ValueError('want "cascade", "template", "prompted", "encoder", "lm" or "none"')
    return str(raw)


def _policy_kind(raw: object) -> str:
    if raw not in get_args(PolicyKind):
        raise ValueError('want "groups" or "cedar"')
    return str(raw)
