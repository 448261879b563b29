"""Where sentences end."""

import pytest

from remit.corpus.sentences import sentences, trimmed


def split(text, breaks=(), language="en"):
    """Return the sentences of a text as texts."""
    return [text[start:end] for start, end in sentences(text, 0, len(text), breaks, language)]


@pytest.mark.parametrize(
    "whole",
    [
        "The runout must not exceed 3.5 mm.",
        "See No. 4 for the torque.",
        "See Fig. 12 and Tab. 3.",
        "Order part No. P-101/B from the store.",
        "Use cleaner, e.g. Acetone, sparingly.",
        "It takes approx. 5 minutes.",
        "Dr. J. R. Smith signs the form.",
        "Ask Mr. Jones.",
        "Der Plan gilt ab dem 3. Juni für alle.",
        "Das gilt z.B. Sonntags.",
        "The pump stops ... and starts again.",
        "Version 2.0.1 is installed.",
        "Write to store@works.example for parts.",
        "A line that\nis wrapped softly.",
        'Is it "dry?" asked nobody.',
    ],
)
def test_one_sentence_stays_whole(whole):
    """Decimals, numbered references, abbreviations, initials and wrapped lines do not end a sentence."""
    assert [whole] == split(whole)


@pytest.mark.parametrize(
    ("language", "whole"),
    [
        ("de", "Der Umsatz stieg auf 12 Mio. Euro."),
        ("en", "Sales rose to 3 Mrd. Euro."),
        ("de-AT", "Nach Abs. Eins und Art. Zwei gilt gem. Anhang das Folgende."),
        ("de", "Das gilt z. B. Sonntags und i. d. R. Montags."),
        ("de", "Fragen Sie Hrn. Maier, d. h. Ihren Vorgesetzten."),
        ("fr", "Voir art. Un et M. Dupont, av. Foch."),
        ("es", "Lo firma la Sra. Ruiz en la pág. Uno, p. ej. Aquí."),
        ("it", "Lo firma il sig. Rossi con la dott.ssa Bianchi."),
        ("nl", "Vraag dhr. Jansen, bijv. Maandag, of mevr. Bakker."),
        ("pt", "Ver pág. Um, a Sra. Lima e o Exmo. Senhor."),
        ("sv", "Det gäller t.ex. Måndag och bl. a. Tisdag."),
        ("ru", "Цена 5 млн. Рублей, см. Рис. Один."),
        ("en", "Ask Gov. Smith and the U. S. Army."),
    ],
)
def test_abbreviations_of_a_language_end_no_sentence(language, whole):
    """What a language often shortens ends no sentence in its texts, with spaces in it or without."""
    assert [whole] == split(whole, language=language)


@pytest.mark.parametrize(
    ("language", "text", "count"),
    [
        ("de", "Er kostet 12 Mio. Der Rest ist frei.", 2),
        ("de", "Schrauben, Muttern usw. Der Rest liegt da.", 2),
        ("en", "This is art. Look at it.", 2),
        ("en", "It is a gem. Keep it.", 2),
        ("en", "It takes a min. Wait.", 2),
        ("en", "Take plan b. Then go.", 2),
        ("en", "Ask the sales rep. The form is there.", 2),
        ("en", "Ask Rep. Smith or Gen. Lee.", 1),
    ],
)
def test_words_that_look_like_abbreviations_end_sentences(language, text, count):
    """What one language shortens is a word of another; what closes a list or an amount, or stands before an article, ends one."""
    assert count == len(split(text, language=language))


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Stop. Go.", ["Stop.", "Go."]),
        ("Was it dry? No. The seal wept!", ["Was it dry?", "No.", "The seal wept!"]),
        ("Work on line B. The belt stops.", ["Work on line B.", "The belt stops."]),
        ("It is 5 mm. Measure it.", ["It is 5 mm.", "Measure it."]),
        ("Close bay 4. Then wait.", ["Close bay 4.", "Then wait."]),
        ("Bolts, nuts, etc. The rest is in bin 4.", ["Bolts, nuts, etc.", "The rest is in bin 4."]),
        ('He said "stop." Then it stopped.', ['He said "stop."', "Then it stopped."]),
        ("**Stop.** Go.", ["**Stop.**", "Go."]),
        ("低头思故乡。举头望明月！", ["低头思故乡。", "举头望明月！"]),  # noqa: RUF001 - meant as such
        ("「見よ。」彼は言った。", ["「見よ。」", "彼は言った。"]),
        ("  One.   Two.  ", ["One.", "Two."]),
        ("Éteindre. Ôter.", ["Éteindre.", "Ôter."]),
    ],
)
def test_sentences_are_told_apart(text, parts):
    """Full stops, question marks and CJK stops end a sentence; white space around it is left out."""
    assert parts == split(text)


def test_a_break_ends_a_sentence():
    """Where the caller says so a sentence ends without a stop."""
    assert ["22 September", "Present: all"] == split("22 September\nPresent: all", (13,))


def test_nothing_has_no_sentences():
    """White space holds none."""
    assert [] == split(" \n ")
    assert trimmed("   ", 0, 3) is None


def test_a_long_text_takes_time_in_proportion():
    """A hundred thousand sentences in one block are split in one go."""
    assert 100_000 == len(split("Go on. " * 100_000))
