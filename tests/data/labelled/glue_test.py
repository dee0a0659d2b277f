import collections
import logging
import os

import pytest

from keras_bert.data.labelled.glue import read_glue
from keras_bert.data.labelled.glue_tasks import GLUE_TASKS
from keras_bert.data.labelled.glue_tasks import glue_task

_MRPC = os.environ.get("MRPC_DIR", "")
_MNLI_START = (
    "index\tpromptID\tpairID\tgenre\tsentence1_binary_parse\t"
    "sentence2_binary_parse\tsentence1_parse\tsentence2_parse\t"
    "sentence1\tsentence2"
)
_STSB_START = (
    "index\tgenre\tfilename\tyear\told_index\tsource1\tsource2\t"
    "sentence1\tsentence2"
)
_MRPC_HEADER = "#1 ID\t#2 ID\t#1 String\t#2 String"
_QQP_HEADER = "id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate"
_PAIR = {"text": ["a"], "text_pair": ["b"]}


def _write(directory, files):
    for name, text in files.items():
        (directory / name).write_bytes(text.encode())
    return str(directory)


@pytest.mark.parametrize(
    "task, split, name, text, expected",
    [
        (
            "cola",
            "train",
            "train.tsv",
            "gj04\t1\t\ta .\ngj04\t0\t*\tb .\n",
            {"text": ["a .", "b ."], "label": ["1", "0"]},
        ),
        (
            "cola",
            "dev",
            "dev.tsv",
            "x\t0\t*\ta",
            {"text": ["a"], "label": ["0"]},
        ),
        (
            "cola",
            "test",
            "test.tsv",
            "index\tsentence\n0\ta\n1\tb\n",
            {"text": ["a", "b"]},
        ),
        (
            "sst2",
            "dev",
            "dev.tsv",
            "sentence\tlabel\na film \t1\n",
            {"text": ["a film "], "label": ["1"]},
        ),
        ("sst2", "test", "test.tsv", "index\tsentence\n0\ta", {"text": ["a"]}),
        (
            "mrpc",
            "train",
            "train.tsv",
            f'\ufeffQuality\t{_MRPC_HEADER}\r\n1\t2\t3\t"a\tb\r\n',
            {"text": ['"a'], "text_pair": ["b"], "label": ["1"]},
        ),
        (
            "mrpc",
            "dev",
            "dev.tsv",
            f"Quality\t{_MRPC_HEADER}\n0\t2\t3\ta\tb\n",
            {**_PAIR, "label": ["0"]},
        ),
        (
            "mrpc",
            "test",
            "test.tsv",
            f"index\t{_MRPC_HEADER}\n0\t2\t3\ta\tb\n",
            _PAIR,
        ),
        (
            "mrpc",
            "train",
            "msr_paraphrase_train.txt",
            f'\ufeffQuality\t{_MRPC_HEADER}\r\n1\t2\t3\t"a\tb\r\n',
            {"text": ['"a'], "text_pair": ["b"], "label": ["1"]},
        ),
        (
            "mrpc",
            "test",
            "msr_paraphrase_test.txt",
            f"\ufeffQuality\t{_MRPC_HEADER}\r\n0\t2\t3\ta\tb\r\n",
            {**_PAIR, "label": ["0"]},
        ),
        (
            "stsb",
            "train",
            "train.tsv",
            f"{_STSB_START}\tscore\n0\tg\tf\t2012\t1\tn\tn\ta\tb\t3.800\n",
            {**_PAIR, "label": ["3.800"]},
        ),
        (
            "stsb",
            "test",
            "test.tsv",
            f"{_STSB_START}\n0\tg\tf\t2012\t1\tn\tn\ta\tb\n",
            _PAIR,
        ),
        (
            "qqp",
            "train",
            "train.tsv",
            f"{_QQP_HEADER}\n7\t1\t2\ta\tb\t1\n",
            {**_PAIR, "label": ["1"]},
        ),
        (
            "qqp",
            "test",
            "test.tsv",
            "id\tquestion1\tquestion2\n0\ta\tb\n1\tc\t\n",
            {"text": ["a", "c"], "text_pair": ["b", ""]},
        ),
        (
            "mnli",
            "train",
            "train.tsv",
            f"{_MNLI_START}\tlabel1\tgold_label\n"
            "0\t1\t1n\tg\tp\tp\tp\tp\ta\tb\tentailment\tneutral\n",
            {**_PAIR, "label": ["neutral"]},
        ),
        (
            "mnli",
            "dev_matched",
            "dev_matched.tsv",
            f"{_MNLI_START}\tlabel1\tgold_label\n"
            "0\t1\t1n\tg\tp\tp\tp\tp\ta\tb\tneutral\tcontradiction\n",
            {**_PAIR, "label": ["contradiction"]},
        ),
        (
            "mnli",
            "dev_mismatched",
            "dev_mismatched.tsv",
            f"{_MNLI_START}\tgold_label\n"
            "0\t1\t1n\tg\tp\tp\tp\tp\ta\tb\tentailment\n",
            {**_PAIR, "label": ["entailment"]},
        ),
        (
            "mnli",
            "test_matched",
            "test_matched.tsv",
            f"{_MNLI_START}\n0\t1\t1n\tg\tp\tp\tp\tp\ta\tb\n",
            _PAIR,
        ),
        (
            "mnli",
            "test_mismatched",
            "test_mismatched.tsv",
            f"{_MNLI_START}\n0\t1\t1n\tg\tp\tp\tp\tp\ta\tb\n",
            _PAIR,
        ),
        (
            "qnli",
            "dev",
            "dev.tsv",
            "index\tquestion\tsentence\tlabel\n0\ta\tb\tnot_entailment\n",
            {**_PAIR, "label": ["not_entailment"]},
        ),
        (
            "rte",
            "train",
            "train.tsv",
            "index\tsentence1\tsentence2\tlabel\n0\ta\tb\tentailment\n",
            {**_PAIR, "label": ["entailment"]},
        ),
        (
            "wnli",
            "dev",
            "dev.tsv",
            "index\tsentence1\tsentence2\tlabel\n0\ta\tb\t0\n",
            {**_PAIR, "label": ["0"]},
        ),
        (
            "ax",
            "test",
            "diagnostic.tsv",
            "index\tsentence1\tsentence2\n0\ta\tb\n",
            _PAIR,
        ),
        (
            "ax",
            "test",
            "AX.tsv",
            "index\tsentence1\tsentence2\n0\ta\tb\n",
            _PAIR,
        ),
    ],
)
def test_published_layouts_are_read(
    tmp_path, task, split, name, text, expected
):
    table = read_glue(task, split, _write(tmp_path, {name: text}))
    assert table.columns == expected
    assert table.where(0).startswith(str(tmp_path / name))


def test_glue_s_own_file_comes_before_the_original(tmp_path):
    text = f"Quality\t{_MRPC_HEADER}\n1\t2\t3\tNAME\tb\n"
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
    assert message.startswith("2 broken row(s) left out")
    assert "train.tsv, line 3," in message
    with pytest.raises(ValueError, match="test.tsv, line 3, must have 6"):
        read_glue("qqp", "test", directory)


def test_whole_files_are_read_without_a_word(tmp_path, caplog):
    text = f"{_QQP_HEADER}\n1\t1\t2\ta\tb\t1\n"
    read_glue("qqp", "dev", _write(tmp_path, {"dev.tsv": text}))
    assert not caplog.records


@pytest.mark.parametrize(
    "task, header, label, message",
    [
        ("rte", "sentence1\tsentence2\tlabel", "1", "entailment, .*: '1'"),
        ("wnli", "sentence1\tsentence2\tlabel", "-1", "of 0, 1. .*: '-1'"),
        ("stsb", "sentence1\tsentence2\tscore", "five", "a number. .*'five'"),
        ("stsb", "sentence1\tsentence2\tscore", "inf", "a number. .*: 'inf'"),
        ("rte", "sentence1\tsentence2\tlabel", "", "a label. Received: ''"),
        ("stsb", "sentence1\tsentence2\tscore", "nan", "label. .*: 'nan'"),
    ],
)
def test_labels_of_another_task_are_refused(
    tmp_path, task, header, label, message
):
    text = f"{header}\na\tb\t{label}\n"
    with pytest.raises(ValueError, match=f"dev.tsv, line 2, .*{message}"):
        read_glue(task, "dev", _write(tmp_path, {"dev.tsv": text}))


def test_rows_of_other_tasks_must_be_whole(tmp_path):
    text = "sentence1\tsentence2\tlabel\na\tb\tentailment\nc\n"
    with pytest.raises(ValueError, match=r"dev.tsv, line 3, .*\['c'\]"):
        read_glue("rte", "dev", _write(tmp_path, {"dev.tsv": text}))


def test_an_unknown_task_is_told_those_there_are(tmp_path):
    with pytest.raises(ValueError, match="cola, sst2, .*Received: 'snli'"):
        read_glue("snli", "dev", str(tmp_path))


def test_an_unknown_split_is_told_those_there_are(tmp_path):
    with pytest.raises(
        ValueError, match="mnli must be one of train, dev_m.*Received: 'dev'"
    ):
        read_glue("mnli", "dev", str(tmp_path))


def test_a_missing_file_is_named_with_those_there_are(tmp_path):
    with pytest.raises(
        ValueError, match="hold dev.tsv. Received: an empty one"
    ):
        read_glue("mrpc", "dev", str(tmp_path))
    _write(tmp_path, {"msr_paraphrase_test.txt": "", "a": ""})
    with pytest.raises(
        ValueError,
        match="train.tsv or msr_paraphrase_train.txt. Received: a, msr_p",
    ):
        read_glue("mrpc", "train", str(tmp_path))
    with pytest.raises(ValueError, match="none must be.*: no directory"):
        read_glue("mrpc", "dev", str(tmp_path / "none"))


def test_the_order_of_labels_is_the_published_one():
    names = {name: task.label_names for name, task in GLUE_TASKS.items()}
    inference = ("contradiction", "entailment", "neutral")
    entailment = ("entailment", "not_entailment")
    assert names == {
        "cola": ("0", "1"),
        "sst2": ("0", "1"),
        "mrpc": ("0", "1"),
        "stsb": (),
        "qqp": ("0", "1"),
        "mnli": inference,
        "qnli": entailment,
        "rte": entailment,
        "wnli": ("0", "1"),
        "ax": inference,
    }
    assert [n for n in names if glue_task(n).is_regression] == ["stsb"]


@pytest.mark.skipif(not _MRPC, reason="no MRPC_DIR")
def test_the_original_corpus_holds_what_is_known_of_it():
    for split, labels in (
        ("train", {"0": 4076 - 2753, "1": 2753}),
        ("test", {"0": 1725 - 1147, "1": 1147}),
    ):
        table = read_glue("mrpc", split, _MRPC)
        assert collections.Counter(table.columns["label"]) == labels
        assert all(table.columns["text"]) and all(table.columns["text_pair"])
