"""Each published format is read from a small file of its shape, and what is wrong in one is told with line and field."""

import gzip
import json

import pytest

from remit.cases.formats.question import content_id
from remit.cases.formats.table import FORMATS, load
from remit.errors import InvalidInput, NothingThere


def write(path, *rows, array=False):
    """Write rows as JSON Lines, or as one JSON array over several lines."""
    texts = [json.dumps(row, ensure_ascii=False) for row in rows]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("[\n" + ",\n".join(texts) + "\n]\n" if array else "\n".join(texts) + "\n", encoding="utf-8")
    return path


HOP = {
    "_id": "h1",
    "question": "In which country lies the town where Ada Holm was born?",
    "answer": "Norway",
    "supporting_facts": [["Ada Holm", 0], ["Vik", 1], ["Vik", 9]],
    "context": [
        ["Ada Holm", ["Ada Holm was born in Vik.", " She sailed."]],
        ["Vik", ["Vik has a pier.", " It lies in Norway."]],
        ["Pier", ["A pier is long."]],
    ],
    "type": "bridge",
    "level": "easy",
}
MUSIQUE = {
    "id": "2hop__17_23",
    "question": "When was the founder of Holm Lines born?",
    "answer": "1881",
    "answer_aliases": ["in 1881"],
    "answerable": True,
    "paragraphs": [
        {"idx": 0, "title": "Holm Lines", "paragraph_text": "Ada Holm founded it.", "is_supporting": True},
        {"idx": 1, "title": "Oslo", "paragraph_text": "Oslo is a city.", "is_supporting": False},
    ],
    "question_decomposition": [
        {"id": 17, "question": "Holm Lines >> founded by", "answer": "Ada Holm", "paragraph_support_idx": 0},
        {"id": 23, "question": "#1 >> date of birth", "answer": "1881", "paragraph_support_idx": 0},
    ],
}
TRIVIA = {
    "QuestionId": "tc_1",
    "Question": "Which planet has rings?",
    "Answer": {"Value": "Saturn", "Aliases": ["Saturn", "The planet Saturn"], "NormalizedAliases": ["saturn"]},
    "EntityPages": [{"Title": "Saturn", "Filename": "Saturn.txt"}],
}
ASQA = {
    "ambiguous_question": "Who led the club?",
    "qa_pairs": [
        {"question": "Who led it in 1990?", "short_answers": ["Ole"], "context": "", "wikipage": "Club"},
        {"question": "Who led it in 2000?", "short_answers": ["Kari", "Kari N."], "context": "", "wikipage": "Club"},
    ],
    "wikipages": [{"title": "Club", "url": "http://example.org"}],
    "annotations": [{"long_answer": "Ole led it in 1990, Kari in 2000.", "knowledge": []}],
}
KILT = {
    "id": "k1",
    "input": "I like boats.\nMe too. Which kind?",
    "output": [
        {
            "answer": "Sailing boats have masts.",
            "provenance": [{"wikipedia_id": "77", "title": "Sailing", "start_paragraph_id": 1, "section": "Masts"}],
        },
        {"provenance": [{"wikipedia_id": "77", "title": "Sailing"}]},
    ],
}
FEVER = {
    "id": 75397,
    "verifiable": "VERIFIABLE",
    "label": "SUPPORTS",
    "claim": "Vik lies in Norway.",
    "evidence": [[[92206, 104971, "Vik", 7], [92206, 104971, "Norway", 0]]],
}
RGB = {
    "id": 0,
    "query": "Who won and when?",
    "answer": [["Ole", "Ole B."], ["2001"]],
    "answer1": ["Ole", "Ole B."],
    "answer2": ["2001"],
    "positive": [["Ole won."], ["It was in 2001."]],
    "negative": ["Nobody came."],
}
RGB_FACT = {
    "id": 1,
    "query": "Who won?",
    "answer": "Ole",
    "fakeanswer": "Per",
    "positive": ["Ole won."],
    "positive_wrong": ["Per won."],
    "negative": [],
}
RAMDOCS = {
    "question": "Which sport does Al Berg play?",
    "documents": [
        {"text": "Al Berg skis.", "type": "correct", "answer": "skiing"},
        {"text": "Al Berg rows.", "type": "misinfo", "answer": "rowing"},
    ],
    "disambig_entity": ["Al Berg (skier)"],
    "gold_answers": ["skiing"],
    "wrong_answers": ["rowing"],
}
CLAPNQ = {
    "id": "c1",
    "input": "what does a pier do",
    "passages": [
        {"title": "Pier", "text": "A pier reaches out. Ships land there.", "sentences": ["A pier reaches out."]}
    ],
    "output": [{"answer": "It reaches out.", "selected_sentences": ["A pier reaches out."], "meta": {}}],
}


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


NQ = '{"question": "where", "answer": ["here"]}\n'


@pytest.mark.parametrize(
    ("form", "text", "line", "field"),
    [
        ("nq-open", NQ + '{"question": "who"}', 2, "answer"),
        ("nq-open", NQ + "\n\n{broken", 4, None),
        ("nq-open", NQ + "[1]", 2, None),
        ("nq-open", '{"question": "  ", "answer": ["x"]}', 1, "question"),
        ("nq-open", '{"question": "who", "answer": {"a": 1}}', 1, "answer"),
        ("hotpotqa", '[\n{"_id": "1", "question": "q", "context": []},\n{"_id": "2"}\n]', 3, "context"),
        ("hotpotqa", '[\n{"_id": "1", "question": "q", "context": [["t", "s"]]}\n]', 2, "context[0]"),
        ("hotpotqa", '[{"_id": "1"}\n {"_id": "2"}]', 2, None),
        ("hotpotqa", '[\n{"_id": "1",\n', 2, None),
        ("hotpotqa", '{"_id": "1"}', 1, None),
        ("2wiki", '[\n{"_id": "1", "question": "q", "context": [], "evidences": [["a", "b"]]}]', 2, "evidences[0]"),
        ("musique", '{"id": "1", "question": "q", "paragraphs": [{"title": "t"}]}', 1, "paragraphs[0].paragraph_text"),
        ("triviaqa", '{\n"Data": [\n{"QuestionId": "1"}\n]}', 3, "Question"),
        ("triviaqa", "{}", 1, "Data"),
        ("asqa", '{"train": {}}', 1, "dev"),
        ("asqa", '{"dev": {\n"7": {"qa_pairs": 1, "ambiguous_question": "q"}}}', 2, "qa_pairs"),
        ("fever", '{"id": 1, "claim": "c", "label": "MAYBE"}', 1, "label"),
        ("fever", '{"id": 1, "claim": "c", "label": "SUPPORTS", "evidence": [["x"]]}', 1, "evidence"),
        ("kilt", '{"id": "1", "input": "q", "output": [{"provenance": "x"}]}', 1, "output[0].provenance"),
        ("rgb", '{"id": 1, "query": "q", "answer": 5}', 1, "answer"),
        ("ramdocs", '{"question": "q", "documents": [{"type": "correct"}]}', 1, "documents[0].text"),
        ("clapnq", '{"id": "1", "input": "q"}', 1, "passages"),
        ("flashrag", '{"id": "1", "question": "q", "metadata": {"gold": 1}}', 1, "metadata.gold"),
    ],
)
def test_a_fault_names_file_line_and_field(tmp_path, form, text, line, field):
    """Whatever is wrong, the error says where: the file, the line and the field."""
    path = tmp_path / "questions"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidInput) as caught:
        load(path, form)
    fault = caught.value.faults[0]
    assert (str(path), line, field) == (fault.file, fault.line, fault.field)


@pytest.mark.parametrize(
    ("text", "line", "field"),
    [("query-id\tcorpus-id\tscore\nq\ta\thigh\n", 2, "score"), ("q a 1\n", 1, None)],
)
def test_a_fault_of_qrels_names_its_line(tmp_path, text, line, field):
    """Judgements that cannot be read say where they stand."""
    write(tmp_path / "corpus.jsonl", {"_id": "a", "text": "a"})
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "test.tsv").write_text(text)
    with pytest.raises(InvalidInput) as caught:
        load(tmp_path, "beir")
    assert (line, field) == (caught.value.faults[0].line, caught.value.faults[0].field)


def test_judged_texts_must_be_there(tmp_path):
    """A judged text that the corpus lacks is an error, not a recall that can never be reached."""
    write(tmp_path / "corpus.jsonl", {"_id": "a", "text": "a"})
    write(tmp_path / "queries.jsonl", {"_id": "q", "text": "boats"})
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "test.tsv").write_text("q\tmissing\t1\n")
    with pytest.raises(InvalidInput, match="missing"):
        load(tmp_path, "beir")


def test_every_fault_of_a_file_is_told(tmp_path):
    """All rows that cannot be used are named at once, not one a run."""
    path = write(tmp_path / "nq.jsonl", {"question": "a"}, {"question": "b", "answer": ["x"]}, {"answer": ["y"]})
    with pytest.raises(InvalidInput) as caught:
        load(path, "nq-open")
    assert [1, 3] == [fault.line for fault in caught.value.faults]


def test_two_questions_of_one_id_are_refused(tmp_path):
    """Results of two questions with one id could not be told apart."""
    path = write(tmp_path / "kilt.jsonl", KILT, KILT)
    with pytest.raises(InvalidInput, match=r"k1.*twice"):
        load(path, "kilt")


def test_an_unknown_format_names_those_there_are(tmp_path):
    """A misspelt format is answered with the list."""
    with pytest.raises(InvalidInput, match="hotpotqa"):
        load(tmp_path, "hotpot")


@pytest.mark.parametrize("form", sorted(FORMATS))
def test_a_missing_file_is_said_to_be_missing(tmp_path, form):
    """No format takes a missing file for an empty one."""
    with pytest.raises((NothingThere, InvalidInput)):
        load(tmp_path / "nowhere", form)
