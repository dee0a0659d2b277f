import pytest
import tensorflow as tf

from keras_bert.files.tfrecord import write_records
from keras_bert.pretraining.batches.epochs import endless_batches
from keras_bert.pretraining.records.corruption import corruption_names_file


@pytest.fixture
def make_file(tmp_path):
    """Return a function that writes 20 records, damages them if asked."""

    def make_file(name, damage=None):
        path = tmp_path / name
        with open(path, "wb") as file:
            write_records(file, [bytes([i]) * 50 for i in range(20)])
        data = bytearray(path.read_bytes())
        if damage == "cut":
            data = data[:-20]
        if damage == "flipped":
            data[66 * 10 + 30] ^= 1
        path.write_bytes(data)
        return str(path)

    return make_file


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        ("cut", r"bad, record 19 \(.*byte 1254\): the file is truncated"),
        ("flipped", r"bad, record 10 \(.*byte 660\): the checksum of its data"),
    ],
)
def test_the_damaged_file_is_named_with_the_next_step(
    make_file, damage, message
):
    good, bad = make_file("good"), make_file("bad", damage)
    with pytest.raises(
        ValueError,
        match=f"{message}.*keras-bert inspect_records --input_file={bad} "
        "--vocab_file=v.txt$",
    ):
        with corruption_names_file([good, bad], vocab_file="v.txt"):
            list(tf.data.TFRecordDataset([good, bad]))
    # The records are counted.
    with pytest.raises(ValueError, match=message):
        endless_batches([good, bad], seed=1, batch_size=4, first_batch=3)


def test_a_record_that_is_no_example_is_named(make_file, vocabulary):
    path = make_file("bad")
    schema = {"a": tf.io.FixedLenFeature([1], tf.int64)}
    dataset = tf.data.TFRecordDataset(path).map(
        lambda record: tf.io.parse_single_example(record, schema)
    )
    with pytest.raises(ValueError, match="bad, record 0 .*tf.train.Example"):
        with corruption_names_file([path], vocabulary):
            list(dataset)


def test_where_the_files_are_whole_the_reason_is_kept(make_file):
    good = make_file("good")

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
