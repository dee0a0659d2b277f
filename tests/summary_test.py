"""`repr` of public objects is one line without an address."""

import pytest

import keras_bert
from keras_bert.summary import Summarized

_BERT = (
    "PretrainedModel(family='BERT', num_layers=3, hidden_size=128, "
    "vocab_size=6_000, num_parameters="
)


class _Plain(Summarized):
    def __init__(self, **facts):
        vars(self).update(facts)


@pytest.fixture(scope="module")
def bert():
    return keras_bert.from_pretrained(keras_bert.TINY_MODEL)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, "_Plain()"),
        (1234567, "_Plain(x=1_234_567)"),
        ([*range(339)], "_Plain(x=[0, 1, 2, 3, 4, 5, ... 339 in all])"),
        ("a" * 500, f"_Plain(x='{'a' * 76}...)"),
    ],
)
def test_values_are_short(value, expected):
    assert repr(_Plain(x=value)) == expected


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ("bert", f"{_BERT}1_411_058, parts=['masked_lm_head'"),
        ("kb.TextClassifier(bert, ['a', 'b'])", "labels=['a', 'b']"),
        ("kb.TextEmbedder(bert)", "pooling='mean'"),
        ("bert.tokenizer", "BertTokenizer(vocab_size=6_000, lowercase=True"),
        ("bert.tokenizer_settings", "(vocabulary=Vocabulary(num_tokens="),
    ],
)
def test_an_object_is_shown_on_one_line(bert, call, words):
    shown = repr(eval(call, {"kb": keras_bert, "bert": bert}))
    assert words in shown
    assert "\n" not in shown and " at 0x" not in shown


def test_data_sets_are_shown_by_their_sizes(tmp_path):
    conll = tmp_path / "a.conll"
    conll.write_text("Ada B-PER\n. O\n\n" * 50)
    shown = repr(keras_bert.tasks.read_conll(conll))
    sizes = "num_sentences=50, num_words=100, tags=['B-PER', 'O'])"
    assert shown.endswith(sizes)
    table = tmp_path / "a.tsv"
    table.write_text("text\tlabel\n" + "some text\tx\n" * 50)
    shown = repr(keras_bert.tasks.read_table(table, {"text": "text"}))
    assert "num_rows=50, columns=['text']" in shown
