import pytest

from keras_bert.data.labelled.label_lists import with_label_lists
from keras_bert.data.labelled.splits import file_splits
from keras_bert.data.labelled.splits import label_names
from keras_bert.data.labelled.tables import Table


def _table(*cells):
    columns = {"text": ["a"] * len(cells), "label": [*cells]}
    return Table("x.csv, line", [n + 2 for n in range(len(cells))], columns)


def test_a_cell_has_several_labels_or_none():
    table = with_label_lists(_table("b, a", "", " ", "a"), ",")
    assert table.columns["label"] == [("b", "a"), (), (), ("a",)]
    assert table.columns["text"] == ["a"] * 4
    assert table.where(3) == "x.csv, line 5"


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("a,,b", "x.csv, line 3, must have a label. Received: ''"),
        ("a,NaN", "x.csv, line 3, must have a label. Received: 'NaN'"),
        ("b,a,b", "x.csv, line 3, must have each label once.*'b,a,b'"),
    ],
)
def test_a_bad_cell_is_named_by_its_line(cell, message):
    with pytest.raises(ValueError, match=message):
        with_label_lists(_table("a", cell), ",")


def test_the_names_are_those_of_all_cells(tmp_path):
    paths = {x: str(tmp_path / f"{x}.csv") for x in ("train", "dev")}
    for path, rows in zip(paths.values(), ("x,c;a\ny,\n", "z,b\n")):
        with open(path, "w") as file:
            file.write(f"text,label\n{rows}")
    splits = file_splits(paths, {"text": "text"}, "label", 0, ";")
    assert splits.is_multi_label
    assert splits.train.columns["label"] == [("c", "a"), ()]
    with pytest.raises(ValueError, match="dev.csv, line 2, .*a, c.*'b'"):
        label_names(splits)
