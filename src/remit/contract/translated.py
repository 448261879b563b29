"""German, French and Spanish words of questions, by the English ones that the rules are written in. Pure."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_SAME: Final = tuple(
    (re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE), english)
    for words, english in (
        (r"um wie ?viel uhr|um welche uhrzeit|zu welcher uhrzeit|à quelle heure|a qué hora", "at what time"),
        (r"wie oft|wie häufig|in welche[mn] (?:abstand|abständen|intervall|intervallen)", "how often"),
        (
            r"à quelle fréquence|tous les combien|toutes les combien|con qué frecuencia|cada cuánto(?: tiempo)?",
            "how often",
        ),
        (
            r"wie lange?(?: dauert| dauern)?|combien de temps|combien dure(?:nt)?|cuánto (?:tiempo|dura|duran)",
            "how long",
        ),
        (r"wie ?viel wieg(?:t|en)|was wieg(?:t|en)|wie schwer|combien pèse(?:nt)?|cuánto pesan?", "how heavy"),
        (r"wie schnell|à quelle vitesse|a qué velocidad", "how fast"),
        (r"wie (?:heiß|warm)", "how hot"),
        (r"wie hoch|wie groß", "how high"),
        (r"wie tief", "how deep"),
        (r"wie breit", "how wide"),
        (r"wie weit", "how far"),
        (r"wie ?viele[rn]?|combien d(?:e|['\u2019](?=\w))|cuánt[oa]s", "how many"),
        (r"wie ?viel|combien|cuánt[oa]", "how much"),
        (r"wann|quand|cuándo", "when"),
        (r"wer|wem|wen|qui|quién(?:es)?", "who"),
        (r"warum|weshalb|wieso|pourquoi|por qué", "why"),
        (r"welche[rsnm]?|quels?|quelles?|cuál(?:es)?", "which"),
        (
            r"was(?= (?:ist|sind|war|waren|kostet|kosten|wiegt|macht|muss|soll|darf|passiert|bedeutet|gilt)\b)|qué",
            "what",
        ),
        (r"druck|pression|presión", "pressure"),
        (r"drehmoment|anzugsmoment|couple de serrage|par de apriete", "torque"),
        (r"temperatur|température|temperatura", "temperature"),
        (r"gewicht|poids|peso", "weight"),
        (r"preis|prix|precio", "price"),
        (r"kosten|kostet|coûte(?:nt)?|coût|cuestan?|coste|costo", "cost"),
        (r"gebühr(?:en)?|tarif|tarifa|frais|redevance", "fee"),
        (r"lohn|gehalt|salaire|salario|sueldo", "salary"),
        (r"dauer|durée|duración", "duration"),
        (r"frist|kündigungsfrist|délai|préavis|plazo", "period"),
        (r"intervall|abstände|intervalle|intervalo", "interval"),
        (r"höhe|hauteur|altura", "height"),
        (r"breite|largeur|anchura|ancho", "width"),
        (r"tiefe|profondeur|profundidad", "depth"),
        (r"länge|longueur|longitud", "length"),
        (r"durchmesser|diamètre|diámetro", "diameter"),
        (r"dicke|épaisseur|espesor|grosor", "thickness"),
        (r"abstand|entfernung|distancia", "distance"),
        (r"geschwindigkeit|drehzahl|vitesse|velocidad", "speed"),
        (r"volumen", "volume"),
        (r"fassungsvermögen|kapazität|capacité|contenance|capacidad", "capacity"),
        (r"fläche|superficie", "area"),
        (r"durchfluss|débit|caudal", "flow"),
        (r"leistung|puissance|potencia", "power"),
        (r"dosis", "dose"),
        (r"alter|âge|edad", "age"),
        (r"grenzwert|höchstwert|limite|límite", "limit"),
        (r"datum|fecha", "date"),
        (r"darf|dürfen|kann|können|peut-on|se pueden?|pueden?", "may"),
    )
)
"""Longer ones stand before those they hold."""


@lru_cache(maxsize=4096)
def in_english(text: str) -> str:
    """Return a text with its question words and names of quantities in English; all other words stay.

    >>> in_english("Quel est le poids du lit ?"), in_english("¿Cuánto dura?")
    ('which est le weight du lit ?', 'how long?')
    """
    text = text.lstrip("¿¡ ")
    for words, english in _SAME:
        text = words.sub(english, text)
    return text
