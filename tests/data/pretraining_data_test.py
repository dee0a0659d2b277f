import collections
import os
import pathlib

import numpy as np
import pytest
import tensorflow as tf

from keras_bert import features
from keras_bert.data import PretrainingDataOptions
from keras_bert.data import create_pretraining_data
from keras_bert.data import pretraining_data
from keras_bert.data.masking import MaskingRules
from keras_bert.text.vocabulary import SPECIAL_TOKENS


def _options(**changes):
    values = {
        "max_seq_length": 24,
        "max_predictions_per_seq": 4,
        "dupe_factor": 2,
        "random_seed": 1,
    }
    return PretrainingDataOptions(**{**values, **changes})


def _read(path):
    """The records of a file as dicts of arrays."""
    examples = []
    for record in tf.data.TFRecordDataset(path).as_numpy_iterator():
        example = tf.train.Example.FromString(record).features.feature
        values = {}
        for name in example:
            kind = example[name].WhichOneof("kind")
            values[name] = np.array(getattr(example[name], kind).value)
        examples.append(values)
    return examples


def _put_back(example):
    ids = example["input_ids"].copy()
    is_real = example["masked_lm_weights"] > 0
    ids[example["masked_lm_positions"][is_real]] = example["masked_lm_ids"][
        is_real
    ]
    return ids


def _parts(example):
    """The ids of A and B with the labels put back."""
    ids = _put_back(example)
    length = example["input_mask"].sum()
    first_length = length - example["segment_ids"].sum()
    return ids[1 : first_length - 1], ids[first_length : length - 1]


@pytest.fixture
def corpus_file(make_documents, write_documents):
    return write_documents("text.txt", make_documents(1, 30))


@pytest.fixture
def create(corpus_file, tokenizer, tmp_path):
    """Runs the tool on the corpus; the paths of the records and the counts."""

    def create(options, *names):
        paths = [str(tmp_path / name) for name in names]
        counts = create_pretraining_data(
            [corpus_file], paths, tokenizer, options
        )
        return paths, counts

    return create


def _bytes(paths):
    return [pathlib.Path(path).read_bytes() for path in paths]


def test_the_same_seed_gives_the_same_bytes(create):
    names = ["a", "b", "c"]
    once, again, other = (
        _bytes(create(_options(random_seed=seed), *names)[0])
        for seed in (1, 1, 2)
    )
    assert once == again
    assert all(a != b for a, b in zip(once, other))


def test_records_have_the_published_names_types_and_lengths(create):
    paths, _ = create(_options(), "a")
    lengths = {"max_seq_length": 24, "max_predictions_per_seq": 4, "1": 1}
    examples = _read(paths[0])
    assert len(examples) > 50
    for example in examples:
        assert sorted(example) == [
            "input_ids",
            "input_mask",
            "masked_lm_ids",
            "masked_lm_positions",
            "masked_lm_weights",
            "next_sentence_labels",
            "segment_ids",
        ]
        for feature in features.PRETRAINING_FEATURES:
            value = example[feature.name]
            assert value.shape == (lengths[feature.length],)
            is_float = feature.dtype == "float32"
            assert value.dtype.kind == ("f" if is_float else "i")


@pytest.mark.parametrize("num_files", [1, 3])
def test_counts_are_those_of_the_records(
    create, tokenizer, make_documents, num_files
):
    paths, counts = create(_options(), *"abc"[:num_files])
    examples = [example for path in paths for example in _read(path)]
    documents = make_documents(1, 30)
    assert counts.documents == 30
    assert counts.sentences == sum(map(len, documents))
    assert counts.tokens == sum(
        len(ids) for d in documents for ids in tokenizer(d).to_list()
    )
    assert counts.examples == len(examples)
    assert counts.random_next == sum(
        int(example["next_sentence_labels"][0]) for example in examples
    )
    assert counts.predictions == sum(
        int(example["masked_lm_weights"].sum()) for example in examples
    )
    assert counts.example_tokens == sum(
        int(example["input_mask"].sum()) for example in examples
    )


def test_files_share_the_examples_about_evenly(create):
    paths, counts = create(_options(dupe_factor=5), "a", "b", "c")
    sizes = [len(_read(path)) for path in paths]
    assert sum(sizes) == counts.examples
    assert min(sizes) > counts.examples / 6


def test_every_file_gets_examples_even_of_a_small_corpus(
    write_documents, tokenizer, tmp_path
):
    path = write_documents("text.txt", [["a dog", "a cat"], ["the bird"]])
    paths = [str(tmp_path / name) for name in "abcdefgh"]
    create_pretraining_data([path], paths, tokenizer, _options(dupe_factor=8))
    assert min(len(_read(path)) for path in paths) > 0


def test_labels_put_back_give_the_whole_text(create, tokenizer, make_documents):
    # Long enough that nothing is cut: each pass then uses each token once.
    options = _options(max_seq_length=200, short_seq_prob=0.0)
    paths, counts = create(options, "a", "b")
    documents = [
        [ids for sentence in tokenizer(document).to_list() for ids in sentence]
        for document in make_documents(1, 30)
    ]
    text = "\n".join(" ".join(map(str, document)) for document in documents)
    used = collections.Counter()
    for path in paths:
        for example in _read(path):
            first, second = _parts(example)
            is_random = example["next_sentence_labels"][0]
            parts = [[*first], [*second]] if is_random else [[*first, *second]]
            for part in parts:
                assert " ".join(map(str, part)) in text
            used.update(map(int, parts[0]))
    expected = collections.Counter(sum(documents, []) * 2)
    assert used == expected
    assert counts.tokens == sum(expected.values()) / 2


def test_labels_put_back_leave_no_special_token_inside(create):
    paths, _ = create(_options(), "a")
    for example in _read(paths[0]):
        ids = _put_back(example)
        length = example["input_mask"].sum()
        first, second = _parts(example)
        assert len(first) and len(second)
        assert min(*first, *second) >= len(SPECIAL_TOKENS)
        assert ids[[0, len(first) + 1, length - 1]].tolist() == [2, 3, 3]
        assert not ids[length:].any()
        assert example["input_mask"].tolist() == [1] * length + [0] * (
            24 - length
        )


def test_examples_are_shuffled(
    vocabulary, write_documents, tokenizer, tmp_path
):
    words = list(vocabulary.tokens[5:25])  # A document each.
    path = write_documents("text.txt", [[word] for word in words])
    records = str(tmp_path / "a")
    options = _options(dupe_factor=1)
    create_pretraining_data([path], [records], tokenizer, options)
    order = [_parts(example)[0].tolist() for example in _read(records)]
    assert sorted(order) == [[index] for index in range(5, 25)]
    assert order != sorted(order)


def test_each_pass_masks_anew(write_documents, tokenizer, tmp_path):
    # One sentence a document: all passes have the same A, masked anew.
    documents = [
        [f"{size} dog sees a new red house"] for size in ("big", "old")
    ]
    path = write_documents("text.txt", documents)
    records = str(tmp_path / "a")
    create_pretraining_data(
        [path], [records], tokenizer, _options(dupe_factor=20)
    )
    examples = _read(records)
    assert len(examples) == 40
    assert len({tuple(_put_back(example)) for example in examples}) == 2
    masks = {tuple(example["masked_lm_positions"]) for example in examples}
    assert len(masks) > 20


def test_each_pass_pairs_anew(create):
    paths, _ = create(_options(dupe_factor=2), "a")
    counts = collections.Counter(
        tuple(_put_back(example)) for example in _read(paths[0])
    )
    assert sum(count % 2 for count in counts.values()) > len(counts) / 4


def test_whole_words_are_masked_on_demand(create, vocabulary):
    paths, _ = create(_options(do_whole_word_mask=True), "a")
    continues = np.array([t.startswith("##") for t in vocabulary.tokens])
    num_whole = 0
    for example in _read(paths[0]):
        ids = _put_back(example)
        count = int(example["masked_lm_weights"].sum())
        chosen = set(example["masked_lm_positions"][:count].tolist())
        for position in np.nonzero(continues[ids])[0]:
            if ids[position - 1] >= len(SPECIAL_TOKENS):
                assert (position in chosen) == (position - 1 in chosen)
                num_whole += position in chosen
    assert num_whole > 10


def test_the_options_reach_the_masking(create, monkeypatch, vocabulary):
    seen = []

    def rules(*args):
        seen.append(args)
        return MaskingRules(*args)

    monkeypatch.setattr(pretraining_data, "MaskingRules", rules)
    create(_options(masked_lm_prob=0.4, max_predictions_per_seq=9), "a")
    assert seen == [(0.4, 9, vocabulary.id_of("[MASK]"), 27, None)]


def test_blocks_and_batches_lose_nothing(create, monkeypatch):
    monkeypatch.setattr(pretraining_data, "_BLOCK_TOKENS", 50)
    monkeypatch.setattr(pretraining_data, "_WINDOW_BLOCKS", 3)
    monkeypatch.setattr(pretraining_data, "_BATCH_EXAMPLES", 5)
    options = _options(max_seq_length=200, short_seq_prob=0.0, dupe_factor=1)
    paths, counts = create(options, "a", "b")
    examples = [example for path in paths for example in _read(path)]
    num_tokens = 0
    for example in examples:
        first, second = _parts(example)
        num_tokens += len(first)
        if not example["next_sentence_labels"][0]:
            num_tokens += len(second)
    assert len(examples) == counts.examples
    assert num_tokens == counts.tokens


@pytest.mark.parametrize(
    ("changes", "received"),
    [
        ({"max_seq_length": 4}, "max_seq_length=4"),
        ({"max_predictions_per_seq": 0}, "max_predictions_per_seq=0, max_s"),
        (
            {"max_predictions_per_seq": 22},
            "max_predictions_per_seq=22, max_seq_length=24",
        ),
        ({"masked_lm_prob": 0.0}, "masked_lm_prob=0.0"),
        ({"masked_lm_prob": 1.0}, "masked_lm_prob=1.0"),
        ({"masked_lm_prob": float("nan")}, "masked_lm_prob=nan"),
        ({"short_seq_prob": -0.1}, "short_seq_prob=-0.1"),
        ({"short_seq_prob": 1.1}, "short_seq_prob=1.1"),
        ({"dupe_factor": 0}, "dupe_factor=0"),
        ({"random_seed": -1}, "random_seed=-1"),
    ],
)
def test_an_impossible_option_is_an_error(changes, received):
    with pytest.raises(ValueError, match=f"Received: .*{received}"):
        _options(**changes)


def test_the_shortest_sequences_work(create):
    options = _options(max_seq_length=5, max_predictions_per_seq=2)
    paths, counts = create(options, "a")
    assert counts.example_tokens == 5 * counts.examples
    assert all(e["input_mask"].all() for e in _read(paths[0]))


def test_one_document_is_an_error(write_documents, tokenizer, tmp_path):
    path = write_documents("text.txt", [["a dog", "a cat"]])
    with pytest.raises(ValueError, match=r"1 document in .*text\.txt"):
        create_pretraining_data(
            [path], [str(tmp_path / "a")], tokenizer, _options()
        )
    assert os.listdir(tmp_path) == ["text.txt"]


def test_a_file_that_would_get_no_example_is_an_error(create, tmp_path):
    names = [f"{number}" for number in range(100)]
    with pytest.raises(ValueError, match="100"):
        create(_options(dupe_factor=1), *names)
    assert os.listdir(tmp_path) == ["text.txt"]


def test_the_same_output_file_twice_is_an_error(create, tmp_path):
    with pytest.raises(ValueError, match=f"{tmp_path}/a"):
        create(_options(), "a", "b", "a")
    assert os.listdir(tmp_path) == ["text.txt"]


def test_bad_input_leaves_existing_records_alone(create, corpus_file, tmp_path):
    paths, _ = create(_options(), "a", "b")
    before = _bytes(paths)
    with open(corpus_file, "ab") as file:
        file.write(b"\n\nbad \xff\n")
    with pytest.raises(ValueError, match="0xff at offset"):
        create(_options(random_seed=2), "a", "b")
    assert _bytes(paths) == before
    assert sorted(os.listdir(tmp_path)) == ["a", "b", "text.txt"]


def test_an_error_while_writing_leaves_no_temporary_file(
    create, monkeypatch, tmp_path
):
    def fail(values):
        raise MemoryError("no room")

    monkeypatch.setattr(pretraining_data, "serialize_examples", fail)
    with pytest.raises(MemoryError, match="no room"):
        create(_options(), "a", "b")
    assert os.listdir(tmp_path) == ["text.txt"]


def test_nothing_stays_in_the_folder_for_temporary_files(
    create, monkeypatch, tmp_path_factory
):
    folder = tmp_path_factory.mktemp("temporary")
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    create(_options(), "a")
    assert os.listdir(folder) == []
