"""Writes the data of the tutorials: a village that somebody made up.

    python docs/tutorials/data/make_data.py

The same files each time: `village.txt`, text to pre-train on; `questions.json`,
questions in the JSON of SQuAD; `trades.conll`, words with tags; `reviews.csv`
and `reviews.txt`, guests of inns, with and without labels; `notices.csv`,
questions with the notices of shops that answer them.
"""

import csv
import json
import pathlib
import random

_PLACE = pathlib.Path(__file__).parent
_NAMES = (
    "Ada Anna Bert Carl Clara Dora Emil Emma Fritz Greta Hans Ida Jakob Karin "
    "Lars Lena Martin Nora Otto Paula Rosa Simon Tilda Viktor"
).split()
# Who: works where, makes what, of what, with what.
_TRADES = {
    "baker": ("bakery", "bread", "flour", "oven"),
    "smith": ("forge", "horseshoes", "iron", "hammer"),
    "tailor": ("workshop", "coats", "cloth", "needle"),
    "carpenter": ("yard", "tables", "wood", "saw"),
    "potter": ("pottery", "jugs", "clay", "wheel"),
    "dairymaid": ("dairy", "cheese", "milk", "churn"),
    "brewer": ("brewery", "beer", "barley", "kettle"),
    "glazier": ("glassworks", "windows", "glass", "diamond"),
    "cobbler": ("cellar", "boots", "leather", "awl"),
    "chandler": ("attic", "candles", "wax", "mould"),
    "cooper": ("barn", "barrels", "oak", "plane"),
    "printer": ("press", "books", "paper", "type"),
}
_OPENINGS = (
    "{name} is a {trade}.",
    "{name} has been a {trade} for years.",
    "Everybody knows {name} the {trade}.",
)
_STORY = (
    "{name} works in the {place} all day.",
    "From {material} the {trade} makes {product}.",
    "On market day {name} sells {product}.",
    "The {tool} of the {trade} is old.",
    "Without {material} there would be no {product}.",
    "In the {place} stands a {tool}.",
    "A carter brings {material} to the {place}.",
    "People come to the {place} and buy {product}.",
)
_TAGS = {
    "name": "PERSON",
    "trade": "TRADE",
    "place": "PLACE",
    "product": "GOODS",
    "material": "GOODS",
}
_QUESTIONS = {
    "Where does {name} work?": "place",
    "What does {name} sell?": "product",
    "Who is the {trade}?": "name",
}
_GOOD = "clean quiet friendly cosy bright lovely charming warm tidy".split()
_BAD = "dirty noisy rude gloomy cold awful shabby damp stale".split()
_THINGS = "room bed breakfast host kitchen garden bath soup service inn".split()
_REVIEWS = (
    "The {thing} was {a} and the {other} was {b}.",
    "One {a} {thing} and one {b} {other}.",
    "We found the {thing} {a} and {b}.",
    "{A}, {b} and {c}: that was the {thing}.",
    "Such {a} rooms, and how {b} the {other} is!",
)
_TOWNS = (
    "Aldorf Ansbach Birkau Bruck Dornach Eschen Felden Grafing Haslach Kirchau "
    "Lindau Marbach Mosbach Neudorf Ostheim Riedau Rothau Seefeld Steinach "
    "Talheim Ulmen Waldau Weiler Zellin"
).split()
# The words of a shop's notice and of the questions differ, except its town.
_NOTICE = (
    "The {tool} is old.",
    "A carter brings {material} from {other}.",
    "{name} moved here from {other}.",
    "Come to the {place} in the morning.",
    "Everybody in {town} knows {name}.",
)
_NEEDS = (
    "Where can I buy {product} in {town}?",
    "Who makes {product} in {town}?",
    "I live in {town} and need {product}.",
    "Is there a {trade} in {town}?",
)


def _people(random_):
    """Endless people, as the words of the sentences about them."""
    while True:
        trade = random_.choice([*_TRADES])
        place, product, material, tool = _TRADES[trade]
        yield {
            "name": random_.choice(_NAMES),
            "trade": trade,
            "place": place,
            "product": product,
            "material": material,
            "tool": tool,
        }


def _story(random_, sentences=_STORY, length=4):
    """A list of sentences with gaps."""
    return [
        random_.choice(_OPENINGS),
        *random_.sample(sentences, min(length, len(sentences))),
    ]


def _village(random_, people):
    documents = [
        [line.format(**next_) for line in _story(random_)]
        for next_, _ in zip(people, range(600))
    ]
    return "\n\n".join(map("\n".join, documents)) + "\n"


def _questions(random_, people):
    told = (_STORY[0], _STORY[2])
    paragraphs = []
    for person, number in zip(people, range(300)):
        lines = _story(random_, told)
        context = " ".join(line.format(**person) for line in lines)
        questions = []
        for key, (question, word) in enumerate(_QUESTIONS.items()):
            answer = {
                "text": person[word],
                "answer_start": context.index(person[word]),
            }
            questions.append(
                {
                    "id": f"{number}-{key}",
                    "question": question.format(**person),
                    "answers": [answer],
                }
            )
        paragraphs.append({"context": context, "qas": questions})
    data = [{"title": "village", "paragraphs": paragraphs}]
    return json.dumps({"version": "1.1", "data": data}, indent=1) + "\n"


def _tags(random_, people):
    sentences = []
    for person, _ in zip(people, range(400)):
        lines = []
        for word in random_.choice(_OPENINGS + _STORY)[:-1].split():
            key = word.strip("{}")
            tag = f"B-{_TAGS[key]}" if key in _TAGS and "{" in word else "O"
            lines.append(f"{word.format(**person)} {tag}")
        sentences.append("\n".join([*lines, ". O"]))
    return "\n\n".join(sentences) + "\n"


def _review(random_, words):
    thing, other = random_.sample(_THINGS, 2)
    a, b, c = random_.sample(words, 3)
    review = random_.choice(_REVIEWS)
    return review.format(
        thing=thing, other=other, a=a, b=b, c=c, A=a.capitalize()
    )


def _labelled_reviews(random_):
    rows = [
        (_review(random_, words), mood)
        for _ in range(150)
        for mood, words in (("good", _GOOD), ("bad", _BAD))
    ]
    return [("review", "mood"), *rows]


def _unlabelled_reviews(random_):
    """Three reviews of one inn are a document; all are good, or all bad."""
    documents = [
        "\n".join(_review(random_, words) for _ in range(3))
        for _ in range(500)
        for words in [random_.choice([_GOOD, _BAD])]
    ]
    return "\n\n".join(documents) + "\n"


def _notices(random_):
    """Two questions for the notice of each trade in each town."""
    rows = [("question", "notice")]
    for town in _TOWNS:
        for trade, (place, product, material, tool) in _TRADES.items():
            words = {
                "town": town,
                "other": random_.choice([x for x in _TOWNS if x != town]),
                "name": random_.choice(_NAMES),
                "trade": trade,
                "place": place,
                "product": product,
                "material": material,
                "tool": tool,
            }
            lines = ["{name} works in the {place} in {town}."]
            lines += random_.sample(_NOTICE, 3)
            notice = " ".join(lines).format(**words)
            for question in random_.sample(_NEEDS, 2):
                rows.append((question.format(**words), notice))
    return rows


def _write_rows(name, rows):
    with open(_PLACE / name, "w", encoding="utf-8", newline="") as f:
        csv.writer(f, lineterminator="\n").writerows(rows)


def main():
    random_ = random.Random(1810)
    people = _people(random_)
    for name, text in (
        ("village.txt", _village(random_, people)),
        ("questions.json", _questions(random_, people)),
        ("trades.conll", _tags(random_, people)),
        ("reviews.txt", _unlabelled_reviews(random_)),
    ):
        (_PLACE / name).write_text(text, encoding="utf-8")
    _write_rows("reviews.csv", _labelled_reviews(random_))
    _write_rows("notices.csv", _notices(random_))


if __name__ == "__main__":
    main()
