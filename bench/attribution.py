"""Claims with what they are said to rest on, and whether they do: made from clapnq's marked sentences and wow's labels."""

import random
import re
from collections.abc import Iterator
from typing import NamedTuple

from gold import lines, passages

from remit.answer.carry import statements
from remit.answer.support import negated

NUMBER = re.compile(r"\d+")
AUXILIARY = re.compile(r"\b(is|are|was|were|can|will|has|have|had|may|must|does|do|did)\b(?!\s+(?:not|no)\b)")
DENIAL = re.compile(r"\b(?:not|never)\s+")
NAMED = re.compile(r"(?<!^)(?<![.!?]\s)\b[A-Z][\w'-]*[a-z][\w'-]*(?:\s+[A-Z][\w'-]*[a-z][\w'-]*)*")
SPACED = (
    (re.compile(r"``|''"), '"'),
    (re.compile(r"\s+([,.;:!?)\]%])"), r"\1"),
    (re.compile(r"([(\[])\s+"), r"\1"),
    (re.compile(r"\s+(n't|'s|'re|'ve|'ll|'d)\b"), r"\1"),
    (re.compile(r"(\w)\s-\s(\w)"), r"\1-\2"),
)
"""clapnq writes words and punctuation apart; put together again on both sides alike."""
SEED = 5


class Pair(NamedTuple):
    """A claim and what it cites. `kind` says how a wrong one was made; groups are never divided."""

    kind: str
    group: str
    question: str
    title: str
    claim: str
    quote: str
    right: bool


def clapnq(part: str) -> list[Pair]:
    """Return the claims of a part: each sentence of a golden answer with its marked sentences, and wrong pairs of the like.

    Wrong: the other sentences of the same passage, the most alike marked sentence of another passage, and the claim itself
    with a number changed, denied, or with a name that another claim uses.
    """
    chance = random.Random(SEED)  # noqa: S311 - a fixed draw
    held = passages("clapnq")
    cases = [line for line in lines("clapnq", part) if line["metadata"]["answerable"]]
    names = sorted(
        {name for line in cases for answer in line["golden_answers"] for name in NAMED.findall(plain(answer))}
    )
    found: list[Pair] = []
    for line in cases:
        about = line["metadata"]
        marked = list(dict.fromkeys(map(plain, about["grounding"])))
        right, group = "\n".join(marked), about["title"]
        hit = held[about["gold"][0]]
        others = [plain(hit.passage.quote(span)) for span in hit.passage.sentences]
        others = [text for text in others if not any(same(text, mark) for mark in marked)]
        claims = dict.fromkeys(s.text for answer in line["golden_answers"] for s in statements(plain(answer), "text"))
        about_it = (group, line["question"], group)
        for claim in claims:
            found.append(Pair("right", *about_it, claim, right, right=True))
            if others:
                found.append(Pair("same passage", *about_it, claim, "\n".join(others), right=False))
            elsewhere = nearest(claim, cases, group)
            if elsewhere:
                found.append(Pair("other passage", *about_it, claim, elsewhere, right=False))
            for kind, changed in corrupted(claim, f"{right} {group} {line['question']}", names, chance):
                found.append(Pair(kind, *about_it, changed, right, right=False))
    return found


def wow() -> list[Pair]:
    """Return the responses of wow with the knowledge given for them; a group is all turns on one piece of knowledge."""
    found = []
    for line in lines("wow", "dev"):
        about = line["metadata"]
        right = about["begin_label"] == "Fully attributable"
        kind = "right" if right else "not attributable"
        found.append(
            Pair(kind, about["knowledge"], line["question"], "", about["response"], about["knowledge"], right=right)
        )
    return found


def plain(text: str) -> str:
    """Return a text with its punctuation where it belongs."""
    for spaced, put in SPACED:
        text = spaced.sub(put, text)
    return text


def same(text: str, mark: str) -> bool:
    """Say whether a sentence is a marked one, or holds it, or lies in it; clapnq's sentences end elsewhere than ours."""
    one, two = (re.sub(r"\W+", "", part).casefold() for part in (text, mark))
    return one in two or two in one


def nearest(claim: str, cases: list[dict], group: str) -> str:
    """Return the marked sentences of the question of another group that share the most words with a claim."""
    words = set(re.findall(r"\w{4,}", claim.casefold()))
    ranked = (
        (len(words & set(re.findall(r"\w{4,}", " ".join(line["metadata"]["grounding"]).casefold()))), place)
        for place, line in enumerate(cases)
        if line["metadata"]["title"] != group
    )
    _, place = max(ranked, key=lambda pair: (pair[0], -pair[1]))
    return "\n".join(dict.fromkeys(map(plain, cases[place]["metadata"]["grounding"])))


def corrupted(claim: str, quote: str, names: list[str], chance: random.Random) -> Iterator[tuple[str, str]]:
    """Yield a claim with one number changed, denied (or no longer denied), and with one name swapped."""
    numbers = list(NUMBER.finditer(claim))
    if numbers:
        one = chance.choice(numbers)
        other = str(int(one.group()) + chance.choice([1, 2, 3, 10]))
        yield "number changed", claim[: one.start()] + other + claim[one.end() :]
    if negated(claim) and DENIAL.search(claim):
        yield "negated", DENIAL.sub("", claim, count=1)
    elif not negated(claim) and (verb := AUXILIARY.search(claim)):
        yield "negated", f"{claim[: verb.end()]} not{claim[verb.end() :]}"
    places = list(NAMED.finditer(claim))
    strange = [name for name in names if name.casefold() not in quote.casefold()]
    if places and strange:
        one = chance.choice(places)
        yield "name swapped", claim[: one.start()] + chance.choice(strange) + claim[one.end() :]
