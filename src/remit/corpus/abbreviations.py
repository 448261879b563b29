"""Abbreviations after which a full stop ends no sentence, by language, for the languages that are written with many."""

# ruff: noqa: RUF001, SIM905 - Cyrillic is meant as such; a list of words is kept as words

from __future__ import annotations

from types import MappingProxyType
from typing import Final

ALWAYS: Final = frozenset(
    "e.g i.e cf vs approx ca resp incl excl viz al dr mr mrs ms prof st sr jr inc ltd dept dipl ing "
    "z.b d.h u.a bzw ggf evtl zzgl inkl usw vgl geb p.ex env mme mlle m.e etc".split()
)
"""Those that are no words of another language, so that they count in a text of any."""

_BY_LANGUAGE = {
    "da": "bl.a f.eks fx dvs jf jfr mht ift kl tlf stk ekskl henv gl vedr pkt hhv iht s.k",
    "de": "abb abs abschn abt allg anh anm art aufl ausschl az bd bez bzgl bspw einschl erg evtl exkl fa frl gem gest "
    "hr hrn hrsg i.a i.d.r i.v.m jh jhd kap lfd lt max mind min n.chr nr o.ä o.g pos s.o s.u sog str tel u.ä u.u "
    "v.a v.chr verf vorl z.t z.zt zit ziff zul",
    "en": "asst assoc approx assn ave bros capt cmdr col corp est fig gen gov hon lt maj misc mt pres rep rev sen sgt "
    "supt tel univ",
    "es": "admón aprox avda art cap cía dpto d.c a.c ej fdo gral lic máx mín núm pág págs p.ej prof pto sra sres srta "
    "tel ud uds vd vds vol",
    "fi": "esim eaa em huom ks mm mrd ml nro n ns os p prof s so synt t ts v vrt ym",
    "fr": "adj apr art av boul c.-à-d chap cie déc éd fév févr janv juil mgr mm mmes n° oct p pp p.ex réf sept ste tél "
    "vol m",
    "hu": "dr id ill kb kft ld pl stb ti u.n vö",
    "it": "art avv cap dott dott.ssa ecc es fig geom ing p.es pag pagg prof rag sig sigg tel vol",
    "nl": "a.u.b art afb bijv blz ca d.d d.w.z dhr drs evt excl gld i.p.v i.v.m jl m.b.t m.i.v mevr mln mld mw nl nr o.a "
    "o.b.v ong resp t.a.v t.o.v tel vgl",
    "no": "bl.a dvs f.eks jf jfr kl mht mva nr pkt tlf vedr ang inkl ekskl kap",
    "pt": "apto aprox art av cap cia dra ex exma exmo fl ltda máx mín núm p.ex pág págs prof profa sra sta tel vol",
    "ro": "art bd cca d.ex dl dna lei nr pag str tel vol",
    "ru": "а.е акад см ср рис стр табл гл т.е т.н т.к т проф тел ул им напр г",
    "sv": "bl.a ca dvs d.v.s f.d f.n ev fr.o.m jfr kl m.a.o m.fl nr s.k t.ex t.o.m tel",
    "tr": "bkz çev dr ör örn prof sn vb vs yy",
}

OF_A_LANGUAGE: Final = MappingProxyType(
    {language: frozenset(words.split()) for language, words in _BY_LANGUAGE.items()}
)
"""Those that may be words of another language."""

OFTEN_LAST: Final = frozenset("etc usw al inc ltd jr sr usf u.v.m enz osv m.m ecc jne yms stb т.д т.п др ff".split())
"""Those that may end a sentence as well: before a capital, they do."""

OF_NUMBERS: Final = frozenset("mio mrd tsd std mill mia mdr mil mld mln bn млн млрд тыс руб εκ τ.μ st.".split())
"""Those that follow a number, and end a sentence where the next word often begins one: "12 Mio. Der Rest" does."""

BEFORE_NAMES: Final = frozenset("rep gen corp est univ tel col sen rev gov pres lt mt ave misc".split())
"""Those that are words as well: with a word that opens a sentence after them, they end theirs ("a sales rep. The ...")."""
