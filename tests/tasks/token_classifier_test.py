import keras
import numpy as np
import pytest

from keras_bert.tasks import TokenClassifier
from keras_bert.tasks.labelled.conll import read_conll

_WORDS = [
    ["the", "dogs", "eats", "meat"],
    ["a", "cat", "sees", "the", "fish", "."],
    ["birds", "."],
    ["the", "fish", "seeds", "and", "a", "dog"],
]
_TAGS = [
    ["O", "B-ANIMAL", "O", "B-FOOD"],
    ["O", "B-ANIMAL", "O", "B-FOOD", "I-FOOD", "O"],
    ["B-ANIMAL", "O"],
    ["B-FOOD", "I-FOOD", "I-FOOD", "O", "O", "B-ANIMAL"],
]
_LABELS = ["O", "B-ANIMAL", "I-ANIMAL", "B-FOOD", "I-FOOD"]
# 22 pieces; the model takes 10.
_LONG = [word for words in _WORDS for word in words] + ["dogs", "."]


@pytest.fixture
def tagger(bert):
    return TokenClassifier(bert, labels=_LABELS)


@pytest.fixture(scope="module")
def trained(make_bert):
    """Return a tagger trained on the sentences; no test changes it."""
    keras.utils.set_random_seed(1)
    tagger = TokenClassifier(make_bert(), labels=_LABELS)
    tagger.fit(
        _WORDS, _TAGS, epochs=80, learning_rate=3e-3, batch_size=2, verbose=0
    )
    return tagger


def _conll(path, words, tags):
    sentences = [
        "".join(f"{word} {tag}\n" for word, tag in zip(*rows))
        for rows in zip(words, tags)
    ]
    path.write_text("\n".join(sentences))
    return read_conll(str(path))


def test_it_learns_the_tags_of_a_few_sentences(trained):
    assert trained.predict_words(_WORDS) == _TAGS
    assert not trained._collapse(trained._labelled(_WORDS, _TAGS))
    assert trained.evaluate(_WORDS, _TAGS) == {
        "precision": 1.0,
        "recall": 1.0,
        "f1": 1.0,
    }


def test_entities_are_substrings_with_their_place(trained):
    texts = ["the  DOGS eats\nmeat", "", "a cat sees the fish."]
    answers = trained.predict(texts)
    for entity in [entity for answer in answers for entity in answer]:
        assert 0.5 < entity.pop("probability") < 1
    assert answers == [
        [
            {"text": "DOGS", "label": "ANIMAL", "start": 5, "end": 9},
            {"text": "meat", "label": "FOOD", "start": 15, "end": 19},
        ],
        [],
        [
            {"text": "cat", "label": "ANIMAL", "start": 2, "end": 5},
            {"text": "the fish", "label": "FOOD", "start": 11, "end": 19},
        ],
    ]


def test_a_model_without_some_beginnings_is_in_iob1(bert):
    """Check labels of published IOB1 taggers, which lack unused B- tags."""
    labels = ["O", "I-ANIMAL", "B-FOOD", "I-FOOD"]
    tagger = TokenClassifier(bert, labels=labels)
    for tags in (_TAGS, [[x.replace("B-", "I-") for x in t] for t in _TAGS]):
        encoded = tagger._labelled(_WORDS, tags)
        learned = [x.places.tolist() for x in encoded.decode_context]
        assert {*sum(learned, [])} == {0, 1, 3}
        predicted = [
            np.eye(4)[[labels.index(x.replace("B-", "I-")) for x in row]]
            for row in _TAGS
        ]
        assert tagger.answer.metrics(encoded, predicted)["f1"] == 1.0
    tagger.fit(_WORDS, _TAGS, epochs=1, verbose=0)


def test_all_schemes_are_one_to_the_model(tagger, tmp_path):
    iob1 = [
        ["O", "I-ANIMAL", "O", "I-FOOD"],
        ["O", "I-ANIMAL", "O", "I-FOOD", "I-FOOD", "O"],
        ["I-ANIMAL", "O"],
        ["I-FOOD", "I-FOOD", "I-FOOD", "O", "O", "I-ANIMAL"],
    ]
    bioes = [
        ["O", "S-ANIMAL", "O", "S-FOOD"],
        ["O", "S-ANIMAL", "O", "B-FOOD", "E-FOOD", "O"],
        ["S-ANIMAL", "O"],
        ["B-FOOD", "I-FOOD", "E-FOOD", "O", "O", "S-ANIMAL"],
    ]
    for tags in (iob1, bioes):
        read = _conll(tmp_path / "train.conll", _WORDS, tags)
        assert TokenClassifier.labels_of(tags) == _LABELS
        assert TokenClassifier.labels_of(read) == _LABELS
        for examples in tagger._labelled(_WORDS, tags), tagger._labelled(read):
            assert [x.tags for x in examples.decode_context] == _TAGS


def test_long_sentences_are_tagged_window_by_window(trained):
    (tags,) = trained.predict_words([_LONG])
    assert len(tags) == len(_LONG) == 20
    # The windows: 10 pieces or fewer that end with a word.
    parts = [_LONG[:9], _LONG[9:18], _LONG[18:]]
    assert tags == sum(trained.predict_words(parts), [])
    text = " ".join(_LONG)
    entities = trained.predict([text])[0]
    assert entities[-1]["end"] > 60
    for entity in entities:
        assert text[entity["start"] : entity["end"]] == entity["text"]


def test_words_without_a_piece_are_outside(tagger, trained):
    words = [["\u200b"], [], ["the", "\u0301", "dogs"]]
    tags = trained.predict_words(words)
    assert tags[0] == ["O"] and tags[1] == []
    assert tags[2][1] == "O" and tags[2][2] == "B-ANIMAL"
    gold = [["B-FOOD"], [], ["O", "O", "B-ANIMAL"]]
    assert trained.evaluate(words, gold)["recall"] == 0.5
    assert trained.predict(["\u200b", " \n"]) == [[], []]


def test_plain_tags_are_compared_word_by_word(bert):
    labels = TokenClassifier.labels_of([["DET", "VERB"], ["NOUN", "."]])
    assert labels == [".", "DET", "NOUN", "VERB"]
    tagger = TokenClassifier(bert, labels=labels)
    assert tagger.main_metric == "accuracy"
    tags = tagger.predict_words(_WORDS[:2])
    assert tagger.evaluate(_WORDS[:2], tags) == {"accuracy": 1.0}
    other = next(x for x in labels if x != tags[0][3])
    wrong = [[*tags[0][:3], other], tags[1]]
    assert tagger.evaluate(_WORDS[:2], wrong) == {"accuracy": 0.9}
    (found,) = tagger.predict(["the dogs eats meat"])
    assert all(word.pop("probability") > 0.25 for word in found)
    assert [word["label"] for word in found] == tags[0]
    expected = {"text": "dogs", "label": tags[0][1], "start": 4, "end": 8}
    assert found[1] == expected


def test_types_of_entities_are_renamed(trained):
    tagger = TokenClassifier(trained.pretrained, rename_labels={"FOOD": "MEAL"})
    assert tagger.labels == ["O", "B-ANIMAL", "I-ANIMAL", "B-MEAL", "I-MEAL"]
    tagger = TokenClassifier(
        trained.pretrained,
        labels=["O", "B-MEAL", "I-MEAL", "B-ANIMAL", "I-ANIMAL"],
        rename_labels={"FOOD": "MEAL"},
    )
    text = " ".join(_WORDS[3])
    (found,), (expected,) = tagger.predict([text]), trained.predict([text])
    assert [entity["label"] for entity in found] == ["MEAL", "ANIMAL"]
    assert [x["start"] for x in found] == [x["start"] for x in expected]


def test_answers_in_graph_are_those_in_python(tagger):
    """Compare within the first window."""
    texts = [" ".join(words) for words in _WORDS]
    texts += ["", "e\u0301 the\u200b dog", "中 \0 😀\nfish", "dog, " * 9]
    outputs = tagger.predict_ids(tagger.preprocess(texts))
    assert (*outputs, "truncated") == tagger.outputs
    plain = {name: x.numpy() for name, x in outputs.items()}
    tags = tagger.predict_words([_words_of(tagger, text) for text in texts])
    for row, text in enumerate(texts):
        words = _words_of(tagger, text)
        is_word = plain["labels"][row] != b""
        starts, ends = plain["starts"][row], plain["ends"][row]
        assert ((starts == 0) & (ends == 0))[~is_word].all()
        spans = [*zip(starts[is_word], ends[is_word])]
        found = [text.encode()[a:b].decode() for a, b in spans]
        assert found == words[: len(found)]
        if len(tagger.preprocess.tokenizer([text])[0]) <= 10:
            assert len(found) == len(words)
            labels = [x.decode() for x in plain["labels"][row][is_word]]
            assert labels == tags[row]


def _words_of(tagger, text):
    from keras_bert.tasks.tags.word_pieces import find_words

    ((_, spans),) = find_words(tagger.preprocess.tokenizer, [text])
    return [text[start:end] for start, end in spans]


def test_words_have_probabilities(trained):
    found = trained.probabilities([*_WORDS, [], ["\x00"]])
    shapes = [(len(words), len(_LABELS)) for words in _WORDS]
    assert [x.shape for x in found] == [*shapes, (0, 5), (1, 5)]
    np.testing.assert_allclose(np.concatenate(found).sum(1), 1, rtol=1e-5)
    assert found[-1].tolist() == [[1, 0, 0, 0, 0]]
    assert trained.answer.tags_of(found[:4]) == trained.predict_words(_WORDS)


@pytest.mark.parametrize(
    ("words", "tags", "message"),
    [
        ([["a"]], None, "`labels` must be given: the tags"),
        ([], [], "0 sentences, 0 words"),
        ([{"tokens": ["a"]}], [["O"]], "a dataset column.*tokens.*index 0"),
        ([[], []], [[], []], "2 sentences, 0 words"),
        ([["a"]], [["B-CITY"]], "one of O, B-ANIMAL.*'B-CITY' at sentence 0"),
        ([["a", "b"]], [["O", "X"]], "'X' at sentence 0, word 1"),
        ([["a"]], [["B-"]], "IOB2.*sentence 0, word 0"),
        ([["\ud800"]], [["O"]], "surrogate pair.*index 0"),
    ],
)
def test_bad_examples_are_named(tagger, words, tags, message):
    with pytest.raises(ValueError, match=message):
        tagger.fit(words, tags)


def test_a_bad_tag_of_a_file_is_named_by_its_line(tagger, tmp_path):
    read = _conll(
        tmp_path / "dev.conll",
        [["a"], ["the", "dog"]],
        [["O"], ["O", "B-CITY"]],
    )
    with pytest.raises(ValueError, match="'B-CITY' at .*dev.conll, line 4"):
        tagger.fit(_WORDS, _TAGS, validation_data=read)


@pytest.mark.parametrize(
    ("labels", "seq_length", "message"),
    [
        (None, 12, "`labels` must be given"),
        (["O"], 12, "at least two different names"),
        (["O", "S-X"], 12, "O, B-TYPE and I-TYPE.*'S-X'"),
        (["O", "B-X", "NOUN"], 12, "O, B-TYPE and I-TYPE.*'NOUN'"),
        (_LABELS, 2, "seq_length=2"),
    ],
)
def test_bad_arguments_are_an_error(bert, labels, seq_length, message):
    with pytest.raises(ValueError, match=message):
        TokenClassifier(bert, labels=labels, seq_length=seq_length)
