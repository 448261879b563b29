"""Each published format is read from a small file of its shape, and what is wrong in one is told with line and field."""

import gzip
import json

import pytest
from published import ASQA, CLAPNQ, FEVER, HOP, KILT, MUSIQUE, RAMDOCS, RGB, RGB_FACT, TRIVIA, write

from remit.cases.formats.question import content_id
from remit.cases.formats.table import load


def one(form, path):
    """Return the only question of a file."""
    (question,) = load(path, form).questions
    return question


class TestWhatIsRead:
    def test_flashrag(self, tmp_path):
        """Answers, gold and candidates of FlashRAG lines; the corpus beside them, its title taken off its contents."""
        write(tmp_path / "corpus.jsonl", {"id": "p1", "contents": '"Vik"\nVik lies in Norway.'})
        line = {"id": "q1", "question": "Where is Vik?", "golden_answers": ["Norway"], "metadata": {"gold": ["p1"]}}
        loaded = load(write(tmp_path / "dev.jsonl", line), "flashrag")
        assert [("p1", "Vik", "Vik lies in Norway.")] == list(loaded.texts)
        assert (("Norway",), ("p1",)) == (loaded.questions[0].answers, loaded.questions[0].gold)

    def test_beir(self, tmp_path):
        """Queries that the part judges, with grades; a text judged 0 is not gold."""
        write(tmp_path / "corpus.jsonl", *({"_id": id, "title": "", "text": id} for id in ("a", "b")))
        write(tmp_path / "queries.jsonl", {"_id": "q", "text": "boats"}, {"_id": "unjudged", "text": "piers"})
        (tmp_path / "qrels").mkdir()
        (tmp_path / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq\ta\t2\nq\tb\t0\n")
        question = one("beir", tmp_path)
        assert ("q", ("a",), {"a": 2, "b": 0}) == (question.id, question.gold, question.grades)

    def test_trec(self, tmp_path):
        """Topics as the tracks write them: tags over several lines, labels taken off."""
        (tmp_path / "topics.txt").write_text(
            "<top>\n<num> Number: 301 \n<title> boats\nand piers\n<desc> Description:\nWhich boats?\n</top>\n"
            "<top>\n<num> Number: 302\n<title> unjudged\n</top>\n"
        )
        (tmp_path / "qrels.txt").write_text("301 0 d1 1\n301 0 d2 0\n")
        question = one("trec", tmp_path)
        assert ("301", "boats and piers", ("d1",)) == (question.id, question.question, question.gold)
        assert "Which boats?" == question.more["desc"]

    def test_trec_topics_with_tabs(self, tmp_path):
        """Topics with a tab between number and query, as MS MARCO has them."""
        (tmp_path / "topics.tsv").write_text("1\tboats\n")
        (tmp_path / "qrels.txt").write_text("1 0 d1 1\n")
        assert "boats" == one("trec", tmp_path).question

    @pytest.mark.parametrize("form", ["hotpotqa", "2wiki"])
    def test_hotpotqa_and_2wiki(self, tmp_path, form):
        """Gold is the paragraphs that hold supporting facts; a sentence number past the end names none."""
        question = one(form, write(tmp_path / "dev.json", HOP, array=True))
        gold = (content_id("Ada Holm", "Ada Holm was born in Vik. She sailed."),)
        assert (*gold, content_id("Vik", "Vik has a pier. It lies in Norway.")) == question.gold
        assert 3 == len(question.candidates)
        assert ["Ada Holm was born in Vik.", "It lies in Norway."] == question.more["grounding"]
        assert ("Ada Holm", "Vik") == question.groups

    def test_2wiki_aliases(self, tmp_path):
        """Aliases and demonyms of the answer's entity count as answers."""
        write(
            tmp_path / "id_aliases.json", {"Q_id": "Q20", "aliases": ["Kingdom of Norway"], "demonyms": ["Norwegian"]}
        )
        line = {**HOP, "answer_id": "Q20", "evidences": [["Vik", "country", "Norway"]]}
        question = one("2wiki", write(tmp_path / "dev.json", line, array=True))
        assert ("Norway", "Kingdom of Norway", "Norwegian") == question.answers
        assert [["Vik", "country", "Norway"]] == question.more["evidences"]

    def test_musique(self, tmp_path):
        """Sub-questions are the groups; a question asked again without its paragraphs is another, without an answer."""
        path = write(tmp_path / "dev.jsonl", MUSIQUE, {**MUSIQUE, "answerable": False})
        first, second = load(path, "musique").questions
        assert ("1881", "in 1881") == first.answers
        assert ("17", "23") == first.groups == second.groups
        assert (True, False, ()) == (first.answerable, second.answerable, second.answers)
        assert first.id != second.id

    def test_nq_open(self, tmp_path):
        """A question without an id gets one of its own, the same in every file."""
        line = {"question": "where is vik", "answer": ["Norway", "in Norway"]}
        first = one("nq-open", write(tmp_path / "a.jsonl", line))
        assert ("Norway", "in Norway") == first.answers
        assert first.id == one("nq-open", write(tmp_path / "b.jsonl", line)).id

    def test_triviaqa(self, tmp_path):
        """Value and aliases are answers, normalised forms are not: they are no text anyone wrote."""
        path = tmp_path / "trivia.json"
        path.write_text(json.dumps({"Data": [TRIVIA], "Version": 1.0}, indent=1))
        assert ("Saturn", "The planet Saturn") == one("triviaqa", path).answers

    def test_asqa(self, tmp_path):
        """Long answers are golden; each reading keeps its short ones."""
        path = tmp_path / "ASQA.json"
        path.write_text(json.dumps({"train": {}, "dev": {"-42": ASQA}}, indent=1))
        question = one("asqa", path)
        assert ("-42", ("Ole led it in 1990, Kari in 2000.",)) == (question.id, question.answers)
        assert [["Ole"], ["Kari", "Kari N."]] == [reading["answers"] for reading in question.more["readings"]]

    @pytest.mark.parametrize("form", ["kilt", "wow", "eli5"])
    def test_kilt(self, tmp_path, form):
        """Answers of all outputs; the pages of their provenance, each once. An output may bring provenance alone."""
        question = one(form, write(tmp_path / "dev.jsonl", KILT))
        assert (("Sailing boats have masts.",), ("77",)) == (question.answers, question.gold)
        assert question.question.endswith("Which kind?")

    def test_eli5_as_first_published(self, tmp_path):
        """The best voted answer comes first."""
        line = {"q_id": "e1", "title": "Why?", "selftext": "", "answers": {"text": ["a", "b"], "score": [1, 5]}}
        assert ("b", "a") == one("eli5", write(tmp_path / "e.jsonl", line)).answers

    @pytest.mark.parametrize(
        "line", [FEVER, {**KILT, "output": [{"answer": "SUPPORTS", "provenance": [{"wikipedia_id": "1"}]}]}]
    )
    def test_fever(self, tmp_path, line):
        """Labels of both forms become one verdict."""
        question = one("fever", write(tmp_path / "dev.jsonl", line))
        assert ("fact-check", ("supports",)) == (question.kind, question.answers)

    def test_fever_pages(self, tmp_path):
        """The pages of all sets of evidence are gold; where nothing is known, none is, and it is not answerable."""
        unknown = {"id": 2, "label": "NOT ENOUGH INFO", "claim": "Per sails.", "evidence": [[[1, None, None, None]]]}
        first, second = load(write(tmp_path / "dev.jsonl", FEVER, unknown), "fever").questions
        assert ("Vik", "Norway") == first.gold
        assert ((), False) == (second.gold, second.answerable)

    def test_rgb(self, tmp_path):
        """Each part of an answer keeps its spellings; a false answer is no answer."""
        parts, fact = load(write(tmp_path / "en.json", RGB, RGB_FACT), "rgb").questions
        assert ([["Ole", "Ole B."], ["2001"]], 2, 3) == (parts.more["parts"], len(parts.gold), len(parts.candidates))
        assert (("Ole",), ["Per"], 1, 2) == (
            fact.answers,
            fact.more["wrong_answers"],
            len(fact.gold),
            len(fact.candidates),
        )

    def test_ramdocs(self, tmp_path):
        """Only what is marked correct is gold."""
        question = one("ramdocs", write(tmp_path / "RAMDocs_test.jsonl", RAMDOCS))
        assert ((content_id("", "Al Berg skis."),), ["rowing"]) == (question.gold, question.more["wrong_answers"])

    def test_clapnq(self, tmp_path):
        """A passage that answers is gold; where there is no answer nothing is, and the question is not answerable."""
        empty = {**CLAPNQ, "id": "c2", "output": [{"answer": "", "selected_sentences": [], "meta": {}}]}
        first, second = load(write(tmp_path / "dev.jsonl", CLAPNQ, empty), "clapnq").questions
        assert (True, 1, ["A pier reaches out."]) == (first.answerable, len(first.gold), first.more["grounding"])
        assert (False, ()) == (second.answerable, second.gold)

    def test_compressed(self, tmp_path):
        """A .gz file is read as what is in it."""
        path = tmp_path / "nq.jsonl.gz"
        path.write_bytes(gzip.compress(b'{"question": "where", "answer": ["here"]}\n'))
        assert ("here",) == one("nq-open", path).answers
