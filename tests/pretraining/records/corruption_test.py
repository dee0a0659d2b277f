import pytest
import tensorflow as tf

from keras_bert.pretraining.batches.epochs import endless_batches
from keras_bert.pretraining.records.corruption import corruption_names_file
from keras_bert.tfrecord import write_records


def make_file(path, damage):
    with open(path, "wb") as file:
        write_records(file, [bytes([i]) * 50 for i in range(20)])
    data = bytearray(path.read_bytes())
    if damage == "cut":
        data = data[:-20]
    if damage == "flipped":
        data[66 * 10 + 30] ^= 1
    path.write_bytes(data)
    return str(path)


@pytest.fixture
def good(tmp_path):
    return make_file(tmp_path / "good.tfrecord", None)


_MESSAGES = {
    "cut": r"bad.tfrecord, record 19 \(counted from 0; at byte 1254\): the "
    "file is truncated",
    "flipped": r"bad.tfrecord, record 10 \(counted from 0; at byte 660\): the "
    "checksum of its data does not match",
}


@pytest.mark.parametrize("damage", _MESSAGES)
def test_the_damaged_file_is_named_with_the_next_step(good, tmp_path, damage):
    bad = make_file(tmp_path / "bad.tfrecord", damage)
    with pytest.raises(
        ValueError,
        match=f"{_MESSAGES[damage]}.*keras-bert inspect_records "
        f"--input_file={bad} --vocab_file=v.txt$",
    ):
        with corruption_names_file([good, bad], vocab_file="v.txt"):
            list(tf.data.TFRecordDataset([good, bad]))


@pytest.mark.parametrize("damage", _MESSAGES)
def test_counting_the_records_names_the_damaged_file(good, tmp_path, damage):
    bad = make_file(tmp_path / "bad.tfrecord", damage)
    with pytest.raises(ValueError, match=_MESSAGES[damage]):
        endless_batches([good, bad], seed=1, batch_size=4, first_batch=3)


def test_a_record_that_is_no_example_is_named(tmp_path, vocabulary):
    path = make_file(tmp_path / "bad.tfrecord", None)
    dataset = tf.data.TFRecordDataset(path).map(
        lambda x: tf.io.parse_single_example(
            x, {"a": tf.io.FixedLenFeature([1], tf.int64)}
        )
    )
    with pytest.raises(
        ValueError, match="bad.tfrecord, record 0 .*tf.train.Example"
    ):
        with corruption_names_file([path], vocabulary):
            list(dataset)


def test_where_the_files_are_whole_the_reason_is_kept(good):
    @tf.function
    def check():
        for record in tf.data.TFRecordDataset(good):
            tf.debugging.assert_equal(record, "", "`ids` must be below 5.")

    with pytest.raises(
        ValueError,
        match="cannot be used: .*`ids` must be below 5.*Inspect the files: "
        f"keras-bert inspect_records --input_file={good}",
    ) as caught:
        with corruption_names_file([good]):
            check()
    assert "\n" not in str(caught.value)


def test_other_errors_pass(good):
    with pytest.raises(KeyError), corruption_names_file([good]):
        raise KeyError
