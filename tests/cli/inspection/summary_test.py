from keras_bert.cli.inspection.reading import inspect_records
from keras_bert.cli.inspection.summary import summary_rows


def test_static_records_are_told_by_their_predictions(
    write, vocabulary, static, make_static
):
    full = make_static(["the"] * 5, ["a"] * 4, [], label=0)
    statistics, _ = inspect_records([write("a", [static, full])], vocabulary)
    assert [*summary_rows(statistics).items()] == [
        ("Records", "2 in 1 file(s); all valid"),
        (
            "Length",
            "10.0 tokens on average with [CLS] and [SEP], at most 12",
        ),
        ("Short", "50.0 % of the examples have fewer than 12 tokens"),
        ("Padding", "16.7 % of the records"),
        ("To predict", "15.0 % of the tokens, 3; of these"),
        ("  [MASK]", "33.3 % (BERT: 80 %)"),
        ("  random", "33.3 % (BERT: 10 %)"),
        ("  kept", "33.3 % (BERT: 10 %)"),
        ("Not next", "50.0 % of the examples (BERT: 50 %)"),
    ]


def test_dynamic_records_are_told_by_their_words(write, vocabulary, dynamic):
    statistics, _ = inspect_records([write("a", [dynamic])], vocabulary)
    rows = summary_rows(statistics)
    assert rows["Words"] == (
        "1.25 pieces on average, at most 2; 25.0 % have several"
    )
    assert not {"To predict", "Padding"} & {*rows}
