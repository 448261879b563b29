"""What the styles of an HTML page say of each element, as far as they decide whether its text can be seen.

Inline styles, old attributes and the simple rules of `<style>` are read: tags, classes, ids and attributes, with
descendants and children. Style sheets in other files are not.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from remit.corpus.hiding import WATCHED, hides

MOST_RULES = 5_000
MOST_TRIES = 1_000_000
_LONGEST = 2_000
"""How much is looked at of a value; a picture in a value may be longer."""
_PREFIX = re.compile(r"-(?:webkit|moz|ms)-")
_COMMENT = re.compile(r"/\*.*?(?:\*/|$)", re.DOTALL)
_STATEMENT = re.compile(r"@(?:charset|import|namespace)[^;{}]*;", re.IGNORECASE)
_NAME = r"(?:[\w-]|\\.)+"
_COMPOUND = re.compile(rf"(?P<tag>\*|[a-zA-Z][\w-]*)?(?P<rest>(?:[.#]{_NAME}|\[[\w-]+(?:=[\"']?[^\"'\]]*[\"']?)?\])*)$")
_PART = re.compile(rf"([.#])({_NAME})|\[([\w-]+)(?:=[\"']?([^\"'\]]*)[\"']?)?\]")
_ROOT = re.compile(r":root\b", re.IGNORECASE)
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})\s?|([^\n0-9a-fA-F]))")
_CUSTOM = re.compile(r"(--[\w-]+)")
_ALWAYS = re.compile(r"@media\s*(?:only\s+)?(?:all|screen)?|@layer.*", re.DOTALL)
_ELSEWHERE = re.compile(
    r"@(?:media\s+(?:only\s+)?(?:print|speech)\b|(?:-\w+-)?keyframes|font-face|page\b)", re.IGNORECASE
)
"""What says nothing about the page as it is seen on a screen."""
_STATE = re.compile(
    r"::|:(?:hover|focus|active|visited|link|target|checked|disabled|enabled|before|after|placeholder|invalid|valid|required)\b",
    re.IGNORECASE,
)
"""States of an element, and parts that are no text of the page."""
_LISTED = re.compile(r",(?![^()]*\))")
_STEP = re.compile(r"\s*(>)\s*|\s+")

Weight = tuple[bool, bool, int, int, int, int]


class Compound(NamedTuple):
    """One step of a selector: what a single element has to be."""

    tag: str | None
    ids: frozenset[str]
    classes: frozenset[str]
    attributes: tuple[tuple[str, str | None], ...]

    def fits(self, element: Any) -> bool:
        """Say whether an element is that."""
        return (
            self.tag in {None, element.tag}
            and (not self.ids or self.ids == {element.get("id")})
            and (not self.classes or self.classes <= set((element.get("class") or "").split()))
            and all(name in element.attrib and want in {None, element.get(name)} for name, want in self.attributes)
        )


class Rule(NamedTuple):
    """Steps from the outermost to the element itself, each with whether it must be the parent of the next."""

    steps: tuple[tuple[Compound, bool], ...]
    says: Mapping[str, tuple[str, bool]]
    order: int

    def fits(self, element: Any) -> bool:
        """Say whether the rule is about an element."""
        *outer, (own, _) = self.steps
        if not own.fits(element):
            return False
        above = element.getparent()
        for compound, direct in reversed(outer):
            while above is not None and not compound.fits(above):
                if direct:
                    return False
                above = above.getparent()
            if above is None:
                return False
            above = above.getparent()
        return True

    def weight(self, *, important: bool) -> Weight:
        """Return what decides between two rules about one property."""
        compounds = [step for step, _ in self.steps]
        ids = sum(len(c.ids) for c in compounds)
        classes = sum(len(c.classes) + len(c.attributes) for c in compounds)
        return important, False, ids, classes, sum(c.tag is not None for c in compounds), self.order


class Sheet:
    """The rules of a page."""

    def __init__(self, texts: list[str]) -> None:
        """Read the texts of the page's `<style>` elements.

        Raises:
            ValueError: there are more rules than can be looked at.
        """
        self._rules: dict[str, list[Rule]] = defaultdict(list)
        self._tries = 0
        self.unread: list[str] = []
        for order, rule in enumerate(_rules("\n".join(texts), self.unread.append)):
            if order > MOST_RULES:
                raise ValueError(f"has more than {MOST_RULES} style rules that can hide text: save it without them")
            own = rule.steps[-1][0]
            key = next((f"#{id}" for id in own.ids), None) or next((f".{c}" for c in own.classes), own.tag or "*")
            self._rules[key].append(rule._replace(order=order))

    def of(self, element: Any) -> dict[str, str]:
        """Return the watched properties of an element, each as its strongest rule says.

        Raises:
            ValueError: the page takes too long.
        """
        said: dict[str, tuple[Weight, str]] = {}
        keys = [
            "*",
            str(element.tag),
            f"#{element.get('id')}",
            *(f".{c}" for c in (element.get("class") or "").split()),
        ]
        for rule in (rule for key in keys for rule in self._rules.get(key, ())):
            self._tries += 1
            if self._tries > MOST_TRIES:
                raise ValueError("has too many elements and style rules that can hide text: save it without styles")
            if rule.fits(element):
                for name, (value, important) in rule.says.items():
                    _strongest(said, name, rule.weight(important=important), value)
        for name, (value, important) in declarations(element.get("style") or "").items():
            _strongest(said, name, (important, True, 0, 0, 0, 0), value)
        return _of_attributes(element) | {name: value for name, (_, value) in said.items()}


def declarations(text: str) -> dict[str, tuple[str, bool]]:
    """Return the watched and custom properties of ``name: value; ...``, each with whether it is marked important."""
    found: dict[str, tuple[str, bool]] = {}
    for part in unescaped(_COMMENT.sub("", text)).split(";"):
        name, _, value = part.partition(":")
        name, value = name.strip(), value.strip()
        if not name.startswith("--"):  # the names of custom properties have a case, here and where they are used
            name = _PREFIX.sub("", name.lower(), count=1)
        value = "".join(piece if piece.startswith("--") else piece.lower() for piece in _CUSTOM.split(value))
        if (name in WATCHED or name.startswith("--")) and value:
            bare = value.partition("!")[0].strip()[:_LONGEST]
            found[name] = (bare, "!" in value)
    return found


def unescaped(text: str) -> str:
    """Return CSS with the characters of names that are written as escapes put in; others stay escaped."""
    return _ESCAPE.sub(_plain, text) if "\\" in text else text


def _plain(found: re.Match[str]) -> str:
    number = int(found[1], 16) if found[1] else 0
    letter = found[2] or (chr(number) if 0 < number < sys.maxunicode else "")
    if letter in {"-", "_"} or letter.isalnum():
        return letter
    return f"\\{letter}" if letter and letter in ":/.@%&+*=!~()[]#>" else found[0]


def _strongest(said: dict[str, tuple[Weight, str]], name: str, weight: Weight, value: str) -> None:
    if name not in said or weight >= said[name][0]:
        said[name] = (weight, value)


def _of_attributes(element: Any) -> dict[str, str]:
    said = {}
    if colour := element.get("color") or (element.get("text") if element.tag == "body" else None):
        said["color"] = colour.strip().lower()
    if background := element.get("bgcolor"):
        said["background-color"] = background.strip().lower()
    return said


def _rules(text: str, unread: Callable[[str], None]) -> Iterator[Rule]:
    """Yield the rules that are read; `unread` is told of each other one that would hide what it is about."""
    rest = _STATEMENT.sub("", unescaped(_COMMENT.sub("", text)).replace("<!--", "").replace("-->", ""))
    for about, selectors, body in _bodies(rest):
        says = declarations(body)
        if not says:
            continue
        if about:
            if _hides(says) and not _ELSEWHERE.match(about):
                unread(" ".join(f"{about} {selectors}".split()))
            continue
        for selector in _LISTED.split(selectors):
            if steps := _steps(_ROOT.sub("html", selector.strip())):
                yield Rule(steps, says, 0)
            elif _hides(says) and not _STATE.search(selector):
                unread(" ".join(selector.split()))


def _hides(says: Mapping[str, tuple[str, bool]]) -> bool:
    """Say whether declarations, taken alone, hide what they are about."""
    return hides({name: value for name, (value, _) in says.items()})


def _bodies(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield selector and declarations of each rule, after the condition that is not read, "" where it is about every screen."""
    start, depth, skip, head, about = 0, 0, 0, "", ""
    for found in re.finditer(r"[{}]", text):
        before = text[start : found.start()].strip()
        start = found.end()
        if found.group() == "{":
            depth += 1
            head = before
            if head.startswith("@") and not skip and not _ALWAYS.fullmatch(head):
                skip, about = depth, head
        else:
            if head and not head.startswith("@"):
                yield about, head, before
            head = ""
            if skip == depth:
                skip, about = 0, ""
            depth = max(0, depth - 1)


def _steps(selector: str) -> tuple[tuple[Compound, bool], ...]:
    steps: list[tuple[Compound, bool]] = []
    place = 0
    while place < len(selector):
        gap = _STEP.search(selector, place)
        compound = _compound(selector[place : gap.start() if gap else len(selector)])
        if compound is None:
            return ()  # states such as :hover, siblings and the like say nothing about the page as it is opened
        steps.append((compound, bool(gap and gap[1])))
        place = gap.end() if gap else len(selector)
    return tuple(steps)


def _compound(text: str) -> Compound | None:
    found = _COMPOUND.match(text)
    if not text or found is None:
        return None
    parts = list(_PART.finditer(found["rest"]))
    return Compound(
        None if found["tag"] in {None, "*"} else found["tag"].lower(),
        frozenset(p[2].replace("\\", "") for p in parts if p[1] == "#"),
        frozenset(p[2].replace("\\", "") for p in parts if p[1] == "."),
        tuple((p[3].lower(), p[4]) for p in parts if p[3]),
    )
