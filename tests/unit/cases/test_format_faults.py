"""What is wrong in a file of questions is told with file, line and field."""

import pytest
from published import KILT, write

from remit.cases.formats.table import FORMATS, load
from remit.errors import InvalidInput, NothingThere

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
