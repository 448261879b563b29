"""Rows as published question sets have them, and files of such rows."""

import json


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
