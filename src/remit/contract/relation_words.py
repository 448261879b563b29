"""Verbs by the relation that they state, and those that say next to nothing."""

from __future__ import annotations

from typing import Final

GROUPS: Final = (
    ("replace substitute deputise deputize exchange swap renew", "deputy replacement stand cover change new"),
    ("responsible accountable", "charge answer own look care duty"),
    (
        "approve authorise authorize",
        "sign release permit allow agree consent accept endorse approval clear grant confirm countersign",
    ),
    ("request", "ask apply application demand"),
    ("inspect check examine verify audit", "test review survey look monitor control inspection see"),
    ("clean disinfect wash rinse", "wipe sweep flush cleaning"),
    ("repair mend overhaul", "fix restore service maintain maintenance"),
    ("lubricate grease", "oil"),
    ("calibrate", "adjust set calibration"),
    ("paint repaint varnish", "coat"),
    ("install mount dismantle", "fit assemble erect build put remove take installation"),
    ("order purchase procure", "buy obtain"),
    ("deliver", "bring supply transport carry delivery"),
    ("collect fetch", "pick gather collection"),
    ("refill replenish restock", "fill top"),
    ("supervise oversee", "lead manage head direct run supervisor"),
    ("train instruct", "teach coach training"),
    ("notify inform", "tell report alert call ring phone contact let"),
    ("employ hire recruit appoint", "engage"),
    ("dismiss", "fire terminate"),
    ("issue", "give hand distribute provide"),
    ("pay reimburse", "bear cover cost fund settle"),
    ("open", "opening unlock"),
    ("close shut", "closing lock"),
    ("start begin commence", "go come kick opening"),
    ("stop end finish", "close over until cease"),
    ("arrive", "reach come"),
    ("depart", "leave go"),
    ("admit", "take admission accept"),
    ("discharge", "release leave send"),
    ("send dispatch", "post ship"),
    ("receive", "get"),
    ("lend", "loan"),
    ("borrow", "loan"),
    ("sell", "sale"),
    ("buy", "purchase order"),
    ("connect", "attach couple"),
    ("disconnect", "detach uncouple"),
    ("lock", "close"),
    ("unlock", "open"),
    ("enable activate", "switch turn"),
    ("disable deactivate", "switch turn"),
    ("increase raise", "rise grow"),
    ("decrease lower reduce", "fall cut drop"),
)
"""Words of one relation: those that state it, and those that may stand for it."""

LIGHT: Final = frozenset(
    """
    is are was were be been being has have had do does did done get gets got go goes went come comes came take takes took make makes
    made put puts look looks looked keep keeps kept hold holds held give gives gave handle handles deal deals see sees set sets use
    uses used need needs want wants know knows help helps find finds work works stand stands sit sits live lives lived serve served
    become became begin began bring brought call called the that this these those there and else
    """.split()  # noqa: SIM905 - a list of words reads better as words
)
"""Verbs that say next to nothing: "who looks after it", "who is there"."""
LOOSE: Final = LIGHT | frozenset(
    """
    play plays played sing sings sang write writes wrote written act acted star starred stars win won wins direct directed directs
    compose composed produce produced produces create created creates design designed invent invented found founded discover
    discovered say said says portray portrayed portrays host hosted hosts narrate narrated marry married lead led leads rule ruled
    voice voiced voices sign signed record recorded build built fight fought kill killed die died born run ran runs sponsor own owns
    owned developed develop wore wear wears scored score introduced introduce proposed propose coined coin starts started
    """.split()  # noqa: SIM905 - a list of words reads better as words
)
"""Verbs after "who" that evidence often says in other words."""
