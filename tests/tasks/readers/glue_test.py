import logging

import pytest

from keras_bert.tasks.readers.glue import read_glue
from keras_bert.tasks.readers.glue_tasks import GLUE_TASKS
from keras_bert.tasks.readers.glue_tasks import glue_task

_MRPC = "#1 ID\t#2 ID\t#1 String\t#2 String"
_QQP_HEADER = "id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate"


def _write(directory, files):
    for name, text in files.items():
        (directory / name).write_bytes(text.encode())
    return str(directory)


_INDEXED = "index\tsentence1\tsentence2"
_QNLI = "index\tquestion\tsentence\tlabel"
_MNLI = f"{_INDEXED}\tlabel1\tgold_label"
_MSR = f"\ufeffQuality\t{_MRPC}\r"
# The texts are "a" and, for pairs, "b", followed by the label, if any.
# A file without a name in front is named after its split.
_LAYOUTS = [
    ("cola train", None, "gj04\t1\t\ta", "1"),
    ("cola test", "index\tsentence", "0\ta", None),
    ("sst2 dev", "sentence\tlabel", "a\t1", "1"),
    ("sst2 test", "index\tsentence", "0\ta", None),
    ("mrpc dev", f"Quality\t{_MRPC}", "0\t2\t3\ta\tb", "0"),
    ("mrpc test", f"index\t{_MRPC}", "0\t2\t3\ta\tb", None),
    ("mrpc train msr_paraphrase_train.txt", _MSR, "1\t2\t3\ta\tb\r", "1"),
    ("mrpc test msr_paraphrase_test.txt", _MSR, "0\t2\t3\ta\tb\r", "0"),
    ("stsb train", f"{_INDEXED}\tscore", "0\ta\tb\t3.800", "3.800"),
    ("stsb test", _INDEXED, "0\ta\tb", None),
    ("qqp train", _QQP_HEADER, "7\t1\t2\ta\tb\t1", "1"),
    ("qqp test", "id\tquestion1\tquestion2", "0\ta\tb", None),
    ("mnli dev_matched", _MNLI, "0\ta\tb\tx\tneutral", "neutral"),
    ("mnli test_matched", _INDEXED, "0\ta\tb", None),
    ("qnli dev", _QNLI, "0\ta\tb\tnot_entailment", "not_entailment"),
    ("rte train", f"{_INDEXED}\tlabel", "0\ta\tb\tentailment", "entailment"),
    ("wnli dev", f"{_INDEXED}\tlabel", "0\ta\tb\t0", "0"),
    ("ax test diagnostic.tsv", _INDEXED, "0\ta\tb", None),
    ("ax test AX.tsv", _INDEXED, "0\ta\tb", None),
]


@pytest.mark.parametrize("place, header, row, label", _LAYOUTS)
def test_published_layouts_are_read(tmp_path, place, header, row, label):
    task, split, *names = place.split()
    (name,) = names or [f"{split}.tsv"]
    text = "".join(f"{line}\n" for line in (header, row) if line)
    table = read_glue(task, split, _write(tmp_path, {name: text}))
    expected = {"text": ["a"]}
    if "\tb" in row:
        expected["text_pair"] = ["b"]
    if label is not None:
        expected["label"] = [label]
    assert table.columns == expected
    assert table.where(0).startswith(str(tmp_path / name))


def test_glue_s_own_file_comes_before_the_original(tmp_path):
    text = f"Quality\t{_MRPC}\n1\t2\t3\tNAME\tb\n"
    names = ("train.tsv", "msr_paraphrase_train.txt")
    files = {name: text.replace("NAME", name) for name in names}
    table = read_glue("mrpc", "train", _write(tmp_path, files))
    assert table.columns["text"] == ["train.tsv"]


def test_broken_rows_of_qqp_are_left_out_and_told(tmp_path, caplog):
    text = (
        f'{_QQP_HEADER}\n1\t1\t2\ta\tb\t1\n2\t3\t4\tc\n"\td\t0\n3\t5\t6\te\t\t0'
    )
    directory = _write(tmp_path, {"train.tsv": text, "test.tsv": text})
    with caplog.at_level(logging.WARNING):
        table = read_glue("qqp", "train", directory)
    assert table.columns == {
        "text": ["a", "e"],
        "text_pair": ["b", ""],
        "label": ["1", "0"],
    }
    assert table.where(1).endswith("line 5")
    (record,) = caplog.records
    message = record.getMessage()
    assert message.startswith("Skipped 2 malformed row(s)")
    assert "train.tsv, line 3," in message
    with pytest.raises(ValueError, match="test.tsv, line 3, must have 6"):
        read_glue("qqp", "test", directory)


@pytest.mark.parametrize(
    "task, header, label, message",
    [
        ("rte", "sentence1\tsentence2\tlabel", "1", "entailment, .*: '1'"),
        ("wnli", "sentence1\tsentence2\tlabel", "-1", "of 0, 1. .*: '-1'"),
        ("stsb", "sentence1\tsentence2\tscore", "five", "a number. .*'five'"),
        ("stsb", "sentence1\tsentence2\tscore", "inf", "a number. .*: 'inf'"),
        ("stsb", "sentence1\tsentence2\tscore", "nan", "label. .*: 'nan'"),
    ],
)
def test_labels_of_another_task_are_refused(
    tmp_path, task, header, label, message
):
    text = f"{header}\na\tb\t{label}\n"
    with pytest.raises(ValueError, match=f"dev.tsv, line 2, .*{message}"):
        read_glue(task, "dev", _write(tmp_path, {"dev.tsv": text}))


@pytest.mark.parametrize(
    ("task", "split", "message"),
    [
        ("snli", "dev", "cola, sst2, .*Received: task='snli'"),
        ("mnli", "dev", "`split` must be one of train, dev_m.*split='dev'"),
        ("mrpc", "dev", "contain dev.tsv. Received: a, msr_p"),
    ],
)
def test_what_is_missing_is_named_with_what_is_there(
    tmp_path, task, split, message
):
    _write(tmp_path, {"msr_paraphrase_test.txt": "", "a": ""})
    with pytest.raises(ValueError, match=message):
        read_glue(task, split, str(tmp_path))


def test_the_order_of_labels_is_the_published_one():
    inference = ("contradiction", "entailment", "neutral")
    assert glue_task("mnli").label_names == inference
    assert glue_task("rte").label_names == ("entailment", "not_entailment")
    regressions = [name for name, x in GLUE_TASKS.items() if x.is_regression]
    assert regressions == ["stsb"]
