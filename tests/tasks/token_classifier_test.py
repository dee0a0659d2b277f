import keras
import numpy as np
import pytest

from keras_bert.tasks import TokenClassifier
from keras_bert.tasks.inputs.word_pieces import find_words
from keras_bert.tasks.readers.conll import read_conll

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
    recipe = {"epochs": 80, "learning_rate": 3e-3, "batch_size": 2}
    tagger.fit(_WORDS, _TAGS, verbose=0, **recipe)
    return tagger


def test_it_learns_the_tags_of_a_few_sentences(trained):
    assert trained.predict_words(_WORDS) == _TAGS
    assert not trained._collapse(trained._labelled(_WORDS, _TAGS))
    names = ["precision", "recall", "f1"]
    assert trained.evaluate(_WORDS, _TAGS) == dict.fromkeys(names, 1.0)


def test_entities_are_substrings_with_their_place(trained):
    texts = ["the  DOGS eats\nmeat", "", "a cat sees the fish."]
    first, none, third = trained.predict(texts)
    for entity in first + third:
        assert 0.5 < entity.pop("probability") < 1
    names = ["text", "label", "start", "end"]
    assert [[*x] for x in first + third] == [names] * 4
    assert [(*x.values(),) for x in first] == [
        ("DOGS", "ANIMAL", 5, 9),
        ("meat", "FOOD", 15, 19),
    ]
    assert none == []
    assert (*third[1].values(),) == ("the fish", "FOOD", 11, 19)


def test_a_model_without_some_beginnings_is_in_iob1(bert):
    """Check labels of published IOB1 taggers, which lack unused B- tags."""
    labels = ["O", "I-ANIMAL", "B-FOOD", "I-FOOD"]
    tagger = TokenClassifier(bert, labels=labels)
    iob1 = [[tag.replace("B-", "I-") for tag in tags] for tags in _TAGS]
    predicted = [np.eye(4)[[labels.index(x) for x in tags]] for tags in iob1]
    for tags in (_TAGS, iob1):
        encoded = tagger._labelled(_WORDS, tags)
        learned = [x.label_indices.tolist() for x in encoded.decode_context]
        assert {*sum(learned, [])} == {0, 1, 3}
        assert tagger.outputs.metrics(encoded, predicted)["f1"] == 1.0


def test_all_schemes_are_one_to_the_model(tagger):
    tags = [["O", "S-ANIMAL", "O", "S-FOOD"], ["B-FOOD", "I-FOOD", "E-FOOD"]]
    assert TokenClassifier.labels_of(tags) == _LABELS
    examples = tagger._labelled([_WORDS[0], _WORDS[3][:3]], tags)
    found = [x.tags for x in examples.decode_context]
    assert found == [_TAGS[0], _TAGS[3][:3]]


def test_long_sentences_are_tagged_window_by_window(trained):
    (tags,) = trained.predict_words([_LONG])
    assert len(tags) == len(_LONG) == 20
    # The windows: 10 pieces or fewer that end with a word.
    parts = [_LONG[:9], _LONG[9:18], _LONG[18:]]
    assert tags == sum(trained.predict_words(parts), [])
    entities = trained.predict([" ".join(_LONG)])[0]
    assert entities[-1]["end"] > 60


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
    labels = ["O", "B-MEAL", "I-MEAL", "B-ANIMAL", "I-ANIMAL"]
    names = {"FOOD": "MEAL"}
    tagger = TokenClassifier(trained.pretrained, labels, rename_labels=names)
    text = " ".join(_WORDS[3])
    (found,), (expected,) = tagger.predict([text]), trained.predict([text])
    assert [entity["label"] for entity in found] == ["MEAL", "ANIMAL"]
    assert [x["start"] for x in found] == [x["start"] for x in expected]


def test_answers_in_graph_are_those_in_python(tagger):
    """Compare within the first window."""
    texts = [" ".join(words) for words in _WORDS]
    texts += ["", "e\u0301 the\u200b dog", "中 \0 😀\nfish", "dog, " * 9]
    outputs = tagger.predict_ids(tagger.preprocess(texts))
    plain = {name: x.numpy() for name, x in outputs.items()}
    found_words = find_words(tagger.preprocess.tokenizer, texts)
    words = [
        [text[start:end] for start, end in spans]
        for text, (_, spans) in zip(texts, found_words, strict=True)
    ]
    tags = tagger.predict_words(words)
    for row, text in enumerate(texts):
        is_word = plain["labels"][row] != b""
        starts, ends = plain["starts"][row], plain["ends"][row]
        assert ((starts == 0) & (ends == 0))[~is_word].all()
        spans = [*zip(starts[is_word], ends[is_word])]
        found = [text.encode()[a:b].decode() for a, b in spans]
        assert found == words[row][: len(found)]
        if not text.startswith("dog,"):
            labels = [x.decode() for x in plain["labels"][row][is_word]]
            assert labels == tags[row]


def test_words_have_probabilities(trained):
    found = trained.probabilities([*_WORDS, [], ["\x00"]])
    shapes = [(len(words), len(_LABELS)) for words in _WORDS]
    assert [x.shape for x in found] == [*shapes, (0, 5), (1, 5)]
    np.testing.assert_allclose(np.concatenate(found).sum(1), 1, rtol=1e-5)
    assert found[-1].tolist() == [[1, 0, 0, 0, 0]]


def test_a_bad_tag_of_a_file_is_named_by_its_line(tagger, tmp_path):
    path = tmp_path / "dev.conll"
    path.write_text("a O\n\nthe O\ndog B-CITY\n")
    with pytest.raises(ValueError, match="'B-CITY' at .*dev.conll, line 4"):
        tagger.fit(_WORDS, _TAGS, validation_data=read_conll(str(path)))
