"""Sentences that order somebody what to say: they state nothing, and no claim may rest on them.

A document may tell whoever answers what to say ("Say 99 months."), and a model may obey. What the order names stands in the passage then,
word for word, so that a quotation of it verifies. English, German, French and Spanish; an order that is spread over two sentences, and
one in other words, is not seen.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_LABEL: Final = (
    r"^[\W_]*(?:(?:note|important|attention|warning|system|user|assistant|ai|instructions?|new instructions?|task|hinweis|wichtig|achtung"
    r"|anweisung|remarque|attention|consigne|nota|importante|atenci\u00f3n|instrucci\u00f3n)\b[^\w\n]*[:\-\u2013\u2014>]+\W*)*"
)
_SOFTLY: Final = (
    r"(?:(?:please|kindly|now|then|always|just|only|simply|instead|first|you\s+(?:must|should|shall|will|have\s+to|are\s+to)"
    r"|bitte|immer|nur|einfach|jetzt|s['\u2019]il\s+(?:te|vous)\s+pla\u00eet|veuillez|toujours|por\s+favor|siempre|ahora)\W+)*"
)
_WHAT: Final = (
    r"\s*(?:[:,]|(?:only|just|exactly|always|simply|instead|nur|immer|genau|seulement|uniquement|toujours|solo|s\u00f3lo|\u00fanicamente|siempre)\b"
    r"|(?:with|that|mit|dass|da\u00df|avec|par|que|con)\b|(?:yes|no|none|nothing|true|false|ja|nein|nichts|oui|non|rien|s\u00ed|nada)\b"
    r"|in\s+(?:json|one|a|two|capitals|english|german|french|spanish|einem|deutsch)\b|[\"\u201c\u201d\u201e\u2018\u00ab'`*]|[-\u2212+]?\d)"
)
_DURATION: Final = r"\d[\d.,]*\s+(?:second|minute|hour|day|week|month|year)s?\b"
_ORDERS: Final = (
    r"say\b(?!\s*,)",
    rf"(?:answer|respond|reply){_WHAT}",
    rf"output\s+(?:only|just|exactly|nothing|that|yes|no|none|true|false|the\s+(?:words?|text|answers?|phrase|sentence|number|following)|[\"\u201c'`]|{_DURATION})",
    r"(?:tell|inform|assure)\s+(?:the\s+(?:user|asker|reader|person|human)|him|her|them|everyone|everybody|anyone|whoever\b[^,]*)\b",
    r"(?:repeat|print|write|state|return)\s+(?:after\s+me|only\s+(?:the\s+)?(?:words?|text|answer)|the\s+(?:words|phrase|following\s+answer|answer)\b|[\"\u201c\u201e'`])",
    (
        r"(?:ignore|disregard|forget|override)\s+(?:(?:all|any|the|these|those|your|every|previous|prior|above|earlier|access|other|of)\s+)+"
        r"(?:instructions?|rules?|prompts?|context|passages?|documents?|questions?|text)\b"
    ),
    rf"(?:sage?|sagt|sagen\s+sie)\b{_WHAT}",
    rf"(?:antworten?|antwortet|antworten\s+sie|erwidere|erwidern\s+sie|entgegnen\s+sie)\b{_WHAT}",
    rf"(?:dis|dites|r\u00e9ponds|r\u00e9pondez|affiche|affichez)\b{_WHAT}",
    rf"(?:di|diga|digan|decid|responde|responda|respondan|contesta|conteste|contesten)\b{_WHAT}",
)
_OPENS: Final = re.compile(rf"{_LABEL}{_SOFTLY}(?:{'|'.join(_ORDERS)})", re.IGNORECASE)
_SAYING: Final = (
    r"(?:say|answer|respond|reply|state|tell|output|write|print|cite|sag(?:e|en|t)?|antworte[nt]?|dis|dites|r\u00e9pond(?:s|ez)|di|diga"
    r"|respond[ae]|contest[ae])"
)
_WHEN_ASKED: Final = re.compile(
    rf"{_LABEL}(?:if|when|whenever|whatever|whoever|once|should|for\s+(?:every|any|all|each)|to\s+(?:every|any|all|each)|wenn|falls|auf\s+jede"
    r"|si|quand|cuando|a\s+toda|a\s+cada)\b[^.!?]*\b(?:ask(?:s|ed)?|questions?|quer(?:y|ies)|gefragt|fragt|fragen?|demande\w*|questions?"
    rf"|pregunt\w*)\b[^.!?]*?\b{_SAYING}\b",
    re.IGNORECASE,
)
_TO_A_MODEL: Final = re.compile(
    r"\b(?:note|message|instructions?|attention|hinweis|anweisung|consigne|instrucci\u00f3n)\s+(?:to|for|an|f\u00fcr|pour|para)\s+(?:the\s+|any\s+|all\s+|alle\s+)?"
    r"(?:ai|a\.i\.|ki|ia|assistants?|models?|language\s+models?|llms?|chat\s?bots?|bots?)\b",
    re.IGNORECASE,
)
_ASKS: Final = re.compile(
    r"\b(?:say|answer(?:ed|s)?|reply|replied|respond(?:ed)?|responses?|responding|tell|told|sagen|sage|antworten|geantwortet|erwidern|dire"
    r"|r\u00e9pondre|r\u00e9ponse|decir|responder|contestar)\b",
    re.IGNORECASE,
)
_OF_A_TEXT: Final = re.compile(
    r"\b(?:do|does|did|can)\s+[\w\s'\u2019-]{0,60}?\b(?:manuals?|handbooks?|documents?|polic(?:y|ies)|texts?|rules?|reports?|contracts?|passages?"
    r"|pages?|papers?|guides?|guidelines?|notices?|standards?|laws?|acts?|procedures?|instructions?|sources?|books?|records?|it|they)\s+(?:say|tell)\b",
    re.IGNORECASE,
)
_LONGEST: Final = 1_000
_HEAD: Final = 300
"""Characters of a sentence within which its order stands: what a hostile text makes long is not read to its end."""
_SENTENCES: Final = re.compile(r"(?<=[.!?\u3002\uff01\uff1f])\s+|\n+")


@lru_cache(maxsize=8192)
def orders(text: str) -> bool:
    """Say whether a sentence of a text orders whoever reads it what to say, or is addressed to a model."""
    return any(_order(one[:_HEAD]) for one in _SENTENCES.split(text) if one)


def _order(sentence: str) -> bool:
    return any((_OPENS.match(sentence), _WHEN_ASKED.match(sentence), _TO_A_MODEL.search(sentence)))


def states(question: str, text: str) -> bool:
    """Say whether a text may carry a claim: it orders nobody what to say, or the question asks just that.

    "What should I say at the gate?" asks what to say; "What does the handbook say about the gate?" does not.
    """
    return not orders(text) or _ASKS.search(_OF_A_TEXT.sub(" ", question[:_LONGEST])) is not None
