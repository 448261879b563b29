"""The shortest span of a sentence that has the form the question asks for; None where the sentence holds none."""

from __future__ import annotations

import re
from typing import Final

from remit.answer.applies import cells
from remit.answer.conditions import sets_condition
from remit.answer.denials import DENIALS, LEFT_OPEN
from remit.answer.found import Found, all_values
from remit.answer.numbers import distance, number, numbered, places
from remit.contract.contract import Contract
from remit.contract.quantity import Dated, dates, quantities
from remit.contract.relations import who_does
from remit.contract.terms import STOPWORDS, codes, term_set
from remit.contract.translated import in_english

_NO: Final = re.compile(rf"\b(?:{DENIALS}|can't|without exception|ne .{{1,20}}pas)\b", re.IGNORECASE)
_MODAL: Final = re.compile(
    r"\b(?:may|must|can|allowed|permitted|required|need(?:s|ed)?|obliged|shall|only|darf|muss|peut|doit|autorisé\w*)\b",
    re.IGNORECASE,
)
_ROLE: Final = re.compile(
    r"\b(?:(?:the|a|an|der|die|le|la)\s+)?(?P<role>(?:[a-zäöüß-]+\s){0,2}(?:(?:engineer|manager|officer|operator"
    r"|planner|clerk|fitter|adviser|advisor|supervisor|inspector|technician|electrician|director|contractor|foreman"
    r"|coordinator|keeper|guard|driver|head|nurse|doctor|chief|team|department|desk|room|office|landlord|tenant|owner|employer|employee|pharmacist"
    r"|administrator|agent|board|committee)(?:\s(?:head|manager|officer|leader|desk|office|team|engineer))?)"
    r"(?:\s(?:[A-Z]|of\s[a-z]+|on\s(?:duty|call)))?)\b",
)
_PROPER: Final = re.compile(r"(?<![.!?:]\s)(?<!^)\b[A-ZÄÖÜ][\w'-]+(?:\s+[A-ZÄÖÜ][\w'-]+)*")
_BY_NAME: Final = re.compile(r"\bwho(?:'s| is| was)\s+(?:the|our|your)\b")
"""Who is the plant manager: a name is wanted, another role is none."""
_FULL_NAME: Final = re.compile(
    r"\b(?!(?:In|On|At|For|The|By|With|From|To|If|When|After|Before|Each|All|No)\b)"
    r"(?P<name>[A-ZÄÖÜ][a-zäöüß]+ [A-ZÄÖÜ][a-zäöüß]+)\b"
)
_CAPITALISED: Final = r"[A-ZÄÖÜ][\w&'-]+(?:\s+(?:&\s+)?[A-ZÄÖÜ][\w'-]+)*"
_WITH_WHOM: Final = re.compile(r"\b(?P<how>to|by|with|from|for)\s+whom\b")
"""To whom something is sold: the name behind the same word."""
_FIRST: Final = re.compile(
    r"(?!Nobody|Anyone|Everyone|Someone|This|That|It|They|There)(?P<name>[A-ZÄÖÜ][a-zäöüß]+)\s+(?:and\s+[A-Z][a-z]+\s+)?(?:\w+ed|\w+s|kept|took|held|made)\b"
)
"""A sentence that begins with a name and goes on with a verb; asked for only where a person is wanted."""
_TIME: Final = re.compile(
    r"\b(?:\d{1,2}\s(?:January|February|March|April|May|June|July|August|September|October|November|December)"
    r"|(?:the\s)?(?:first|second|third|fourth|fifth|\d+(?:st|nd|rd|th))\s(?:calendar\s|working\s)?(?:day|week|month)\b"
    r"|(?:at\s)?\d{1,2}(?:[:.]\d{2})?\s?(?:[ap]\.?m\.?|o[\u2019']clock)(?!\w)"
    r"|(?:noon|midnight)(?:\sof\sthe\sday\sbefore)?|(?:between|from)\s\d{1,2}[:.]\d{2}\s(?:and|to|until)\s\d{1,2}[:.]\d{2}|\d{1,2}[:.]\d{2}(?:\s?(?:to|-|\u2013)\s?\d{1,2}[:.]\d{2})?|(?:the\s)?(?:first|second|third|fourth|last)\s\w+day"
    r"(?:\sof\s(?:each|every|the)\s\w+)?|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\w*|\w+ quarter of the year)\b"
)
_CLOCK: Final = re.compile(
    r"(?<![\w.:])(?:(?:between|from)\s)?(?:\d{1,2}[:.]\d{2}(?:\s?[ap]\.?m\b\.?)?(?:\s(?:to|and|until)\s\d{1,2}[:.]\d{2})?|\d{1,2}\s?[ap]\.?m\b"
    r"|\d{1,2}\so[\u2019']clock|\d{1,2}\s?(?:Uhr|heures?|h)\b|noon|midnight|midday)",
    re.IGNORECASE,
)
_ASKS_CLOCK: Final = re.compile(r"\bwhat time\b|\bat which hour\b", re.IGNORECASE)
_RECURS: Final = re.compile(
    r"\b(?:on\s)?(?:the\s)?(?:first|second|third|fourth|last)\s\w+day\s(?:of|in)\s(?:each|every|the)\s\w+"
    r"|\b(?:on\s)?(?:each|every)\s(?:(?:other|second|third|working|single)\s)?(?:\w+day|night|morning|evening|hour|week|time|use)\b"
    r"|\bon\s(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days(?:\sand\s\w+days)?|\b(?:nightly|hourly|continuously|constantly)\b"
    r"|\b(?:after|before)\s(?:each|every)\s\w+",
    re.IGNORECASE,
)
_OFTEN: Final = re.compile(r"\bhow (?:often|frequently|regularly)\b", re.IGNORECASE)
_UNTIL_WHEN: Final = re.compile(r"\b(?:until|till|bis|jusqu'à)\s+(?:when|what|which|wann|quand|quel)", re.IGNORECASE)
_SINCE_WHEN: Final = re.compile(r"\b(?:since|from|ab|seit|depuis)\s+(?:when|what|which|wann|quand|quel)", re.IGNORECASE)
_UNTIL: Final = re.compile(
    r"\b(?:until|till|to|through|bis(?: zum)?|jusqu'au)\s+(?:the\s+)?$|[-\u2013]\s*$", re.IGNORECASE
)
_SINCE: Final = re.compile(
    r"\b(?:since|from|as of|ab|seit|vom|von|depuis|du|à partir du)\s+(?:the\s+|dem\s+|le\s+)?$", re.IGNORECASE
)
_LIST_LEAD: Final = re.compile(
    r"(?:\bare|\bis|\bon|\bat|\bto|\bfor|\bfrom|\bbetween|\binclude[sd]?|\bwear[s]?|\bworn|\bwith|\bof|\bneeds?|\brequires?|\bbrings?|\bput on|:)\s+"
    r"(?P<items>[^.;]*?(?:,[^.;]*)+(?:\band\b|\bor\b|\bund\b|\bet\b|,)[^.;]*)",
    re.IGNORECASE,
)
_MAKER: Final = re.compile(r"\b(?:company|brand|supplier|manufacturer|maker|vendor|firm|colou?r)\b")
_REASON: Final = re.compile(
    r"\b(?:because|since|so that|due to|owing to|in order to|reasons?|caused?|therefore|which is why|as a result|to avoid"
    r"|to prevent|weil|damit|parce que|afin)\b",
    re.IGNORECASE,
)
_OPENING_LIST: Final = re.compile(
    r"^(?P<items>[^.;:,]{3,40}(?:,[^.;:,]{2,40})+,?\s(?:and|or)\s[^.;:,]{2,60}?)\s"
    r"(?:need|needs|require|requires|is|are|must|may|have|has|do|does|can)\b"
)


def find(contract: Contract, sentence: str) -> Found | None:
    """Return the span of `sentence` that answers by the contract's form. "text" gives the whole sentence."""
    if contract.form in {"number", "date", "name"} and LEFT_OPEN.search(sentence):
        return None
    match contract.form:
        case "number":
            return number(contract, sentence) or _recurring(contract, sentence)
        case "date":
            return _date(contract, sentence)
        case "boolean":
            return _boolean(contract, sentence)
        case "name":
            return numbered(contract, sentence) or _cell(contract, sentence) or _name(contract, sentence)
        case "list":
            return _list(sentence)
        case _:
            whole = Found(sentence, 0, len(sentence), all_values(sentence))
            return numbered(contract, sentence) or _cell(contract, sentence) or whole


def gives_reason(sentence: str) -> bool:
    """Say whether a sentence says why, by its words."""
    return _REASON.search(sentence) is not None


def rules(sentence: str) -> bool:
    """Say whether a sentence allows, asks or denies something, by its words."""
    return _MODAL.search(sentence) is not None or _NO.search(sentence) is not None


def _recurring(contract: Contract, sentence: str) -> Found | None:
    """Return how often something happens where no number says it: "on the first Monday of each month"."""
    found = _RECURS.search(sentence) if _OFTEN.search(in_english(contract.claim)) else None
    return None if found is None else Found(found.group(), *found.span(), ("time", found.group().casefold()))


def _date(contract: Contract, sentence: str) -> Found | None:
    if _ASKS_CLOCK.search(in_english(contract.claim)):
        clock = _CLOCK.search(sentence)
        return None if clock is None else Found(clock.group(), *clock.span(), ("time", clock.group().casefold()))
    found = _bounding(contract.claim, sentence, dates(sentence))
    if found:
        best = min(found, key=lambda date: (distance(contract, sentence, date.start), date.start))
        return Found(sentence[best.start : best.end], best.start, best.end, ("date", best.day.isoformat()))
    time = _TIME.search(sentence)
    if time is not None:
        return Found(time.group(), time.start(), time.end(), ("time", time.group().casefold()))
    spans = [quantity for quantity in quantities(sentence) if quantity.dimension in {"duration", "cycle"}]
    for span in spans:
        if re.search(r"\b(?:after|within|every|before|in|nach|après)\s+(?:about\s+)?$", sentence[: span.start]):
            return Found(sentence[span.start : span.end], span.start, span.end, (span.dimension, span.value))
    return None


def _bounding(claim: str, sentence: str, found: tuple[Dated, ...]) -> tuple[Dated, ...]:
    """Return the dates behind the word that a question about an end or a beginning asks for; all where none is."""
    for asks, says in ((_UNTIL_WHEN, _UNTIL), (_SINCE_WHEN, _SINCE)):
        if asks.search(claim):
            return tuple(one for one in found if says.search(sentence[: one.start])) or found
    return found


def _boolean(contract: Contract, sentence: str) -> Found:
    """Return Yes or No where the sentence says of just what is asked that it may or must be, or must not.

    Anything else gets the sentence itself: where it lacks a word of the question or sets a condition that the question
    does not, or where the question turns on an amount, a yes or no would be reasoning and not quoting.
    """
    whole = Found(sentence, 0, len(sentence), all_values(sentence))
    asked = [term for fact in contract.facts if fact.kind in {"topic", "focus"} for term in fact.terms]
    said = term_set(sentence, contract.language)
    amounts = [found for found in quantities(contract.question) if found.dimension not in {"count", "number"}]
    if not rules(sentence) or amounts or not asked or not set(asked) <= said:
        return whole
    if sets_condition(contract.question, sentence, contract.language):
        return whole
    odd = (len(_NO.findall(sentence)) + len(_NO.findall(contract.claim))) % 2 == 1
    verdict = "No" if odd else "Yes"
    return Found(verdict, 0, len(sentence), ("boolean", verdict))


def _cell(contract: Contract, sentence: str) -> Found | None:
    """Return the cell of a table row whose column is what is asked for: the ward's pump, and not its asset."""
    focus = next(
        (fact for fact in contract.facts if fact.kind == "focus" and not fact.optional and not fact.role), None
    )
    columns = cells(sentence) if focus is not None and "; " in sentence else {}
    wanted = () if focus is None else focus.terms
    for column, value in columns.items():
        if wanted and term_set(column) == frozenset(wanted) and not term_set(value) <= term_set(contract.question):
            start = sentence.index(f"{column}: {value}") + len(column) + 2
            return Found(value, start, start + len(value), ("name", value.casefold()))
    return None


def _name(contract: Contract, sentence: str) -> Found | None:
    asked = term_set(contract.question)
    lowered = contract.claim.casefold()
    person = re.search(r"\b(?:who|whom|whose|wer|qui|role|person)\b", lowered) is not None
    if person and _BY_NAME.search(lowered):
        pattern = _PROPER
    elif person:
        pattern = _ROLE
    elif re.search(
        r"\b(?:extension|phone|number (?:to|do (?:i|we|you)|should (?:i|we)|must (?:i|we)) (?:ring|call|dial)|dial)\b",
        lowered,
    ):
        digits = re.search(r"(?<![\w-])\d{3,}(?:[ -]\d+)*(?![\w-])", sentence)
        return None if digits is None else Found(digits.group(), *digits.span(), ("name", digits.group()))
    else:
        pattern = _PROPER
    for code in codes(sentence):
        place = next(iter(places(code, sentence)), None)
        if pattern is _PROPER and place is not None and not term_set(code) <= asked and not _MAKER.search(lowered):
            return Found(place.group(), *place.span(), ("name", code))
    for found in pattern.finditer(sentence):
        start, end = _role(found) if pattern is _ROLE else found.span()
        in_date = any(start < date.end and date.start < end for date in dates(sentence))
        if not in_date and not term_set(sentence[start:end]) <= asked:
            return Found(sentence[start:end], start, end, ("name", sentence[start:end].casefold()))
    if person and (acting := _acting(contract, sentence)) is not None:
        return acting
    first = (_FULL_NAME.search(sentence) or _FIRST.match(sentence)) if person else None
    if first is not None and not term_set(first.group("name")) <= asked:
        return Found(first.group("name"), *first.span("name"), ("name", first.group("name").casefold()))
    return None


def _acting(contract: Contract, sentence: str) -> Found | None:
    """Return the name behind "to", "by" or "with" where the question asks to, by or with whom; else who does what it asks."""
    how = _WITH_WHOM.search(contract.claim.casefold())
    named = how and re.search(rf"\b{how['how']}\s+(?:the\s+)?(?P<name>{_CAPITALISED})", sentence)
    place = named.span("name") if named and not term_set(named["name"]) <= term_set(contract.question) else None
    if place is None and contract.language == "en":
        place = who_does(contract.claim, sentence)
    return (
        None if place is None else Found(sentence[slice(*place)], *place, ("name", sentence[slice(*place)].casefold()))
    )


def _role(found: re.Match[str]) -> tuple[int, int]:
    """Return the span of a role without the function words before it: "department head" of "of the department head"."""
    words = found["role"].split()
    while len(words) > 1 and words[0].casefold() in STOPWORDS["en"]:
        words = words[1:]
    return found.end("role") - len(found["role"]) + found["role"].index(words[0]), found.end("role")


def _list(sentence: str) -> Found | None:
    found = _OPENING_LIST.search(sentence) or _LIST_LEAD.search(sentence)
    if found is None:
        return None
    start, end = found.span("items")
    return Found(sentence[start:end].strip(), start, end, None)
