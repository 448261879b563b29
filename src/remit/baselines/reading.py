"""What a model's free text says: a verdict, a labelled line, a sentence. Unreadable is None, never a no."""

from __future__ import annotations

import math
import re
from typing import Final

from remit.llm.chat import Reply

_VERDICT: Final = re.compile(r"\b(yes|no|true|false|correct|incorrect)\b", re.IGNORECASE)
_NO: Final = frozenset({"no", "false", "incorrect"})
_NOT: Final = re.compile(r"\bnot\s+(?:\w+\s+)?$", re.IGNORECASE)
_SENTENCE: Final = re.compile(r"[^\n]*?(?:[.!?](?=\s|$)|\n|$)")
_ABBREVIATION: Final = re.compile(r"\b(?:[A-Z]|Mr|Mrs|Ms|Dr|St|Jr|Sr|No|vs|etc|e\.g|i\.e)\.$")


def verdict(text: str) -> bool | None:
    """Return what the first word of judgement in a reply says; None where there is none.

    >>> verdict("Yes, it is."), verdict("That is not correct"), verdict("Perhaps")
    (True, False, None)
    """
    found = _VERDICT.search(text)
    if found is None:
        return None
    said = found[0].lower() not in _NO
    return said != (_NOT.search(text[: found.start()]) is not None)


def chance_of_yes(reply: Reply) -> float | None:
    """Return the probability of yes: by the reply's first token of judgement where it is spelled, else 1 or 0.

    None where the reply gives no verdict. Only the probability of what was said is known: a no at p counts as 1 - p.
    """
    said = verdict(reply.text)
    if said is None:
        return None
    spelled = next((token for token in reply.tokens or () if verdict(token.text) is said), None)
    if spelled is None:
        return float(said)
    likely = min(1.0, math.exp(spelled.logprob))
    return likely if said else 1.0 - likely


def labelled(text: str, label: str) -> str | None:
    r"""Return what stands behind a label on its line, or None.

    >>> labelled("THOUGHT: so\nQUERY: boats of Vik", "QUERY")
    'boats of Vik'
    """
    found = re.search(rf"^[\s>*#-]*{re.escape(label)}[\s*]*:[ \t*]*(.+)$", text, re.IGNORECASE | re.MULTILINE)
    return found[1].strip() if found and found[1].strip() else None


def first_sentence(text: str) -> str:
    """Return the first sentence of a text, without what follows it; initials and common abbreviations end none.

    >>> first_sentence("J. Holm sailed in 1881. Then he left.")
    'J. Holm sailed in 1881.'
    """
    text = text.lstrip()
    end = 0
    for found in _SENTENCE.finditer(text):
        end = found.end()
        if not found[0].strip() or _ABBREVIATION.search(text[:end]):
            continue
        break
    return text[:end].strip()
