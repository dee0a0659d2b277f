from keras_bert.cli.inspection.reading import inspect_records
from keras_bert.cli.inspection.summary import summary_rows
from keras_bert.pretraining.records import validation
from keras_bert.text.wordpiece.vocabulary import MASK


def test_static_records_are_told_by_their_predictions(
    write, vocabulary, static, make_static, monkeypatch
):
    monkeypatch.setattr(validation, "_BATCH_RECORDS", 1)
    shown = [(1, MASK), (2, "the")]
    full = make_static(["the"] * 5, ["a"] * 4, shown, label=0)
    statistics, _ = inspect_records([write("a", [static, full])], vocabulary)
    assert [*summary_rows(statistics).items()] == [
        ("Records", "2 in 1 file(s); all valid"),
        (
            "Length",
            "10.0 tokens on average with [CLS] and [SEP], at most 12",
        ),
        ("Short", "50.0 % of the examples have fewer than 12 tokens"),
        ("Padding", "16.7 % of the records"),
        ("To predict", "25.0 % of the tokens, 5; of these"),
        ("  [MASK]", "40.0 % (BERT: 80 %)"),
        ("  random", "20.0 % (BERT: 10 %)"),
        ("  kept", "40.0 % (BERT: 10 %)"),
        ("Not next", "50.0 % of the examples (BERT: 50 %)"),
    ]


def test_dynamic_records_are_told_by_their_words(write, vocabulary, dynamic):
    statistics, _ = inspect_records([write("a", [dynamic])], vocabulary)
    rows = summary_rows(statistics)
    assert rows["Words"] == (
        "1.25 pieces on average, at most 2; 25.0 % have several"
    )
    assert not {"To predict", "Padding"} & {*rows}
