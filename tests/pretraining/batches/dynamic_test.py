import dataclasses

import numpy as np
import pytest
import tensorflow as tf

from keras_bert.pretraining import DataOptions
from keras_bert.pretraining import MaskingOptions
from keras_bert.pretraining import dataset as pretraining_dataset
from keras_bert.pretraining import dynamic_dataset
from keras_bert.pretraining.records.shards import ShardBuilder
from keras_bert.text import Vocabulary
from keras_bert.text.wordpiece.vocabulary import MASK
from keras_bert.text.wordpiece.vocabulary import SPECIAL_TOKENS
from tests.pretraining.records.created import read_examples

_SEQ_LENGTH, _NUM_PREDICTIONS = 24, 4
_VOCABULARY = Vocabulary(
    [*SPECIAL_TOKENS, *(f"{'##' * (n % 3 == 0)}{n}" for n in range(95))]
)
_VOCAB_SIZE = len(_VOCABULARY)
_MASKING = MaskingOptions(_VOCABULARY.id_of(MASK))
_ARGUMENTS = {
    "batch_size": 4,
    "max_seq_length": _SEQ_LENGTH,
    "max_predictions_per_seq": _NUM_PREDICTIONS,
    "vocab_size": _VOCAB_SIZE,
    "masking": _MASKING,
    "seed": 1,
}


@pytest.fixture
def write(write_record_file, make_corpus, change_record):
    """Write random examples, one of them changed, and return the path."""

    def write(name, masking="dynamic", seed=1, changed_row=0, **changes):
        rng = np.random.default_rng(seed)
        corpus = make_corpus([rng.integers(1, 12, 6) for _ in range(20)])
        corpus.tokens[:] = rng.integers(
            len(SPECIAL_TOKENS), _VOCAB_SIZE, corpus.tokens.shape
        )
        options = DataOptions(
            max_seq_length=_SEQ_LENGTH,
            max_predictions_per_seq=_NUM_PREDICTIONS,
            dupe_factor=1,
            masking=masking,
        )
        ((records, _),) = ShardBuilder(corpus, _VOCABULARY, options).batches(
            0, 1
        )
        records[changed_row] = change_record(records[changed_row], **changes)
        return write_record_file(name, records)

    return write


def _dataset(paths, **changes):
    return dynamic_dataset(paths, **{**_ARGUMENTS, **changes})


def _examples(dataset):
    """Return the examples of batches, each a flat tuple of all numbers."""
    return [
        tuple(np.concatenate([np.ravel(a) for a in example]).tolist())
        for batch in dataset.as_numpy_iterator()
        for example in zip(*tf.nest.flatten(batch))
    ]


def _restored(dataset):
    """Return the examples with the labels put back, as in the records."""
    examples = []
    for inputs, labels, weights in dataset.as_numpy_iterator():
        for row, ids in enumerate(inputs["input_ids"]):
            ids = ids.copy()
            predicted = weights["mlm_logits"][row] > 0
            positions = inputs["masked_lm_positions"][row][predicted]
            ids[positions] = labels["mlm_logits"][row][predicted]
            assert (ids[positions] >= len(SPECIAL_TOKENS)).all()
            length = inputs["input_mask"][row].sum()
            assert not ids[length:].any()
            assert inputs["input_mask"][row, :length].all()
            segments = inputs["segment_ids"][row]
            boundary = int(segments.argmax())
            assert segments[boundary:length].all()
            assert not segments[length:].any()
            examples.append(
                {
                    "input_ids": ids[:length].tolist(),
                    "segment_boundary": [boundary],
                    "next_sentence_labels": [labels["nsp_logits"][row]],
                }
            )
    return examples


@pytest.mark.parametrize("whole_words", [False, True])
def test_labels_put_back_give_the_records(write, whole_words):
    path = write("a")
    expected = [
        {k: x.tolist() for k, x in example.items() if k != "word_starts"}
        for example in read_examples(path)
    ]
    masking = dataclasses.replace(_MASKING, do_whole_word_mask=whole_words)
    first, second = (
        _dataset([path], epoch=epoch, masking=masking) for epoch in (0, 1)
    )
    assert _restored(first) == _restored(second) == expected
    same = [a == b for a, b in zip(_examples(first), _examples(second))]
    assert np.mean(same) < 0.05


def test_an_epoch_is_the_same_whatever_the_batch_size(write):
    paths = [write(name, seed=n) for n, name in enumerate("abc")]
    expected = _examples(_dataset(paths, epoch=3))
    for size in (7, 1000):
        dataset = _dataset(paths, epoch=3, batch_size=size)
        assert _examples(dataset) == expected
    # Records may be padded further.
    for inputs, *_ in _dataset(paths, max_seq_length=40, epoch=0):
        assert inputs["input_ids"].shape[1] == 40
        assert not inputs["input_ids"][:, _SEQ_LENGTH:].numpy().any()


def test_an_endless_stream_is_the_same_with_any_number_of_threads(write):
    paths = [write(name, seed=n) for n, name in enumerate("ab")]
    count = 2 * sum(len(read_examples(path)) for path in paths)
    streams = []
    for num_threads in (1, 8):
        options = tf.data.Options()
        options.threading.private_threadpool_size = num_threads
        dataset = _dataset(paths, batch_size=1).take(count)
        streams.append(_examples(dataset.with_options(options)))
    assert streams[0] == streams[1]
    # The second epoch has other masks.
    assert len({*streams[0]}) > 0.9 * count


def test_a_saved_iterator_goes_on_where_it_was(write, tmp_path):
    dataset = _dataset([write("a"), write("b", seed=2)])
    batches, restored = iter(dataset), iter(dataset)
    for _ in range(100):
        next(batches)
    tf.train.Checkpoint(batches=batches).write(str(tmp_path / "saved"))
    checkpoint = tf.train.Checkpoint(batches=restored)
    checkpoint.read(str(tmp_path / "saved")).assert_consumed()
    for _ in range(100):
        assert repr(next(restored)) == repr(next(batches))


def test_an_endless_stream_goes_on_at_any_batch(write):
    paths = [write(name, seed=n) for n, name in enumerate("ab")]
    for first in (7, 123):
        expected = _examples(_dataset(paths).skip(first).take(40))
        assert (
            _examples(_dataset(paths, first_batch=first).take(40)) == expected
        )


def test_a_bad_first_record_is_named(write):
    path = write("a", input_ids=[5] * 25)
    message = "`input_ids` must have 1 to 24 .*: 25"
    with pytest.raises(ValueError, match=f"^{path}, record 0 .*: {message}"):
        _dataset([write("b"), path])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"input_ids": [5] * 25, "word_starts": [1] * 25},
            "`input_ids` must have 3 to 24",
        ),
        ({"word_starts": [1] * 40}, "`word_starts` must have the length"),
        ({"segment_boundary": [23]}, "`segment_boundary` must be inside"),
        (
            {
                "input_ids": [5, 6, 100, 7, 8],
                "word_starts": [1] * 5,
                "segment_boundary": [3],
            },
            "`input_ids` must be below `vocab_size`=100",
        ),
    ],
)
def test_a_bad_later_record_is_an_error_that_names_the_feature(
    write, changes, message
):
    path = write("a", changed_row=2, **changes)
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        list(_dataset([path], epoch=0))


def test_records_of_the_other_form_are_told_apart(write):
    static, dynamic = write("a", "static"), write("b")
    with pytest.raises(
        ValueError, match=f"^{static}: .*`segment_boundary`.*masking='static'"
    ):
        _dataset([dynamic, static])
    sizes = 4, _SEQ_LENGTH, _NUM_PREDICTIONS, _VOCAB_SIZE
    with pytest.raises(
        ValueError, match=f"^{dynamic}: .*`input_mask`.*masking='dynamic'"
    ):
        pretraining_dataset([static, dynamic], *sizes)
    expected = pretraining_dataset([static], *sizes).element_spec
    assert _dataset([dynamic], epoch=0).element_spec == expected


@pytest.mark.parametrize(
    ("changes", "received"),
    [
        ({"batch_size": 0}, "batch_size=0"),
        ({"max_predictions_per_seq": 22}, "max_predictions_per_seq=22"),
        ({"masking": MaskingOptions(4, 1.5)}, "masked_lm_prob=1.5"),
        ({"masking": MaskingOptions(100)}, "mask_id=100"),
    ],
)
def test_an_argument_out_of_range_is_an_error(changes, received):
    with pytest.raises(ValueError, match=received):
        _dataset([], **changes)
