"""What a comparison shows in words, a line a set; what it cannot show too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from remit.evaluate.tables import Standing


def says(sets: Mapping[str, Mapping[str, Standing]], reference: str) -> Iterator[str]:
    """Yield what the comparison shows on each set, and what it cannot show."""
    for name, held in sets.items():
        known = {system: one for system, one in held.items() if one.figures["f1"].interval is not None}
        if not known:
            continue
        best = max(known, key=lambda system: value_of(known[system], "f1"))
        told = [f"{name}: highest F1 {value_of(known[best], 'f1'):.3f}, {best}."]
        versus = {system: one.versus["f1"] for system, one in known.items() if "f1" in one.versus}
        if versus:
            ahead = [system for system, one in versus.items() if one.found and one.difference.value > 0]
            behind = [system for system, one in versus.items() if one.found and system not in ahead]
            told.append(f"Beyond chance above {reference}: {_listed(ahead)}; below it: {_listed(behind)}.")
        told += [_careful(held, reference), *_equal(held)]
        if versus:
            least = max(one.detectable for one in versus.values())
            asked = next(iter(held.values())).trials
            told.append(
                f"{asked} questions tell differences of {least:.3f} from chance four times in five, smaller ones less often."
            )
        yield " ".join(told)


def _careful(held: Mapping[str, Standing], reference: str) -> str:
    """Return who gave the fewest unsupported answers, and at what coverage."""
    careful = min(held, key=lambda one: (value_of(held[one], "unsupported"), -value_of(held[one], "useful_coverage")))
    told = [
        f"{value_of(held[one], 'unsupported'):.3f} of all questions at a useful coverage of "
        f"{value_of(held[one], 'useful_coverage'):.3f} ({one})"
        for one in dict.fromkeys((careful, reference))
        if one in held
    ]
    return f"Fewest unsupported answers: {', beside '.join(told)}."


def _equal(held: Mapping[str, Standing]) -> Iterator[str]:
    """Yield who has the fewest unsupported answers where all answer as many questions as the most cautious does."""
    found = {system: max(one.surest.values(), key=lambda at: at.coverage) for system, one in held.items() if one.surest}
    if len(found) > 1:
        order = sorted(found, key=lambda system: found[system].unsupported.value)
        told = (f"{found[one].unsupported.value:.3f} ({one})" for one in (order[0], order[-1]))
        level = found[order[0]].coverage
        yield f"Of the surest {level:.0%} alone, unsupported: from {' to '.join(told)}."


def value_of(one: Standing, name: str) -> float:
    """Return a figure of a standing; 0 where it was not measured."""
    found = one.figures[name].interval
    return 0.0 if found is None else found.value


def _listed(names: Sequence[str]) -> str:
    return "; ".join(f"\N{LEFT DOUBLE QUOTATION MARK}{name}\N{RIGHT DOUBLE QUOTATION MARK}" for name in names) or "none"
