"""Questions in German, French and Spanish."""

from __future__ import annotations

import pytest
from written import asked

from remit.contract.translated import in_english


@pytest.mark.parametrize(
    ("question", "form", "dimension"),
    [
        ("Welches Gewicht hat das Bett?", "number", "mass"),
        ("Was ist der Preis des Bettes?", "number", "money"),
        ("Welche Dauer hat die Reinigung?", "number", "duration"),
        ("Quel est le poids du lit ?", "number", "mass"),
        ("Quel est le prix du lit ?", "number", "money"),
        ("Quelle est la durée du nettoyage ?", "number", "duration"),
        ("¿Cuál es el peso de la cama?", "number", "mass"),
        ("¿Cuánto cuesta la cama?", "number", "money"),
        ("¿Cuánto dura la limpieza?", "number", "duration"),
        ("Combien pèse le moteur ?", "number", "mass"),
        ("Wie hoch ist der Mast?", "number", "length"),
        # not looked at while the rules were written
        ("Welche Breite hat das Tor?", "number", "length"),
        ("Quelle est la profondeur du bassin ?", "number", "length"),
        ("¿Cuál es la distancia al muelle?", "number", "length"),
        ("Wie viel wiegt der Kran?", "number", "mass"),
        ("¿A qué hora abre la esclusa?", "date", None),
        ("Um wie viel Uhr schließt das Tor?", "date", None),
        ("¿Quién firma el acta?", "name", None),
        ("¿Se puede fumar en el patio?", "boolean", None),
    ],
)
def test_the_form_of_a_question_in_another_language(question: str, form: str, dimension: str | None) -> None:
    """Question words and names of quantities are understood in the four languages that there are rules for."""
    made = asked(question)
    wanted = next((fact.dimensions for fact in made.facts if fact.kind == "value"), ())
    assert (made.form, dimension is None or dimension in wanted) == (form, True)


def test_spanish_is_told_from_french() -> None:
    """The language of a question is the one whose function words it uses, Spanish among them."""
    assert [asked(q).language for q in ("¿Cuál es el peso de la cama?", "Quel est le poids du lit ?")] == ["es", "fr"]


def test_other_words_stay() -> None:
    """Only question words and quantities are said in English: a word that merely holds one is another word."""
    assert in_english("Wer hat den Poidsbericht?") == "who hat den Poidsbericht?"
