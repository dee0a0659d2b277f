"""The Beam pipeline on the local runner equals the tool for one machine."""

import collections
import dataclasses
import gzip
import json
import logging
import os
import warnings

import pytest
import tensorflow as tf

from keras_bert.files.manifest import manifest_of
from keras_bert.pretraining import TextOptions
from keras_bert.pretraining import create_data
from keras_bert.pretraining import open_sources
from keras_bert.text import Vocabulary
from keras_bert.text.tokenizer_kinds import KINDS
from tests.pretraining.records.created import make_options
from tests.pretraining.records.created import parse_example
from tests.pretraining.records.created import parts_of
from tests.pretraining.records.created import restored_ids

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from keras_bert.beam.data import chunks
    from keras_bert.beam.data import pipeline
    from keras_bert.beam.data import steps

# Beam emits warnings of its own; in all other tests a warning is an error.
pytestmark = [pytest.mark.beam, pytest.mark.filterwarnings("default")]
_TEXT_COUNTS = ("documents", "sentences", "tokens", "unknown", "continuations")
_TWO_PROCESSES = (
    "--direct_num_workers=2",
    "--direct_running_mode=multi_processing",
)
_TWO_THREADS = (
    "--direct_num_workers=2",
    "--direct_running_mode=multi_threading",
)


@pytest.fixture
def create(corpus_files, vocab_file, tmp_path):
    """Return a function that runs the pipeline; returns shards and counts."""

    def create(name, options=None, paths=corpus_files, **arguments):
        counts = pipeline.create_pretraining_data_on_beam(
            paths,
            str(tmp_path / name),
            TextOptions(vocab_file),
            options or make_options(),
            **arguments,
        )
        return _read_shards(tmp_path / name), counts

    return create


@pytest.fixture
def small_blocks(monkeypatch):
    """Use many chunks and many blocks of a few documents."""
    monkeypatch.setattr(chunks, "CHUNK_BYTES", 700)
    monkeypatch.setattr(steps, "_BLOCK_TOKENS", 300)
    monkeypatch.setattr(steps, "_BLOCK_DOCUMENTS", 20)


def _read_shards(directory):
    paths = sorted(directory.glob("*.tfrecord"))
    return [
        [*tf.data.TFRecordDataset(str(p)).as_numpy_iterator()] for p in paths
    ]


def _multiset(shards):
    return collections.Counter(sum(shards, []))


@pytest.mark.parametrize("masking", ["static", "dynamic"])
def test_counts_are_those_of_one_machine(
    create, corpus_files, vocab_file, small_blocks, tmp_path, masking
):
    options = make_options(dupe_factor=8, masking=masking)
    shards, counts = create("out", options, num_shards=3)
    expected = create_data(
        open_sources(corpus_files),
        [str(tmp_path / "single.tfrecord")],
        TextOptions(vocab_file),
        options,
    )
    for name in _TEXT_COUNTS:
        assert counts[name] == expected[name] > 0
    assert {*counts} == {*expected}
    assert len(shards) == 3
    assert sum(map(len, shards)) == counts["examples"]
    for name in ("examples", "random_next", "example_tokens", "predictions"):
        assert counts[name] == pytest.approx(expected[name], rel=0.1)


def test_every_record_keeps_what_a_pair_is(
    create, small_blocks, write_documents, vocabulary
):
    # A document repeats one word, which identifies the document of a pair.
    words = [w for w in vocabulary.tokens[5:] if not w.startswith("##")]
    documents = [[f"{word} {word}"] * 5 for word in words] * 2
    path = write_documents("words.txt", documents)
    shards, counts = create(
        "out", make_options(max_seq_length=9, dupe_factor=3), paths=[path]
    )
    totals, strangers = collections.Counter(), 0
    for example in map(parse_example, shards[0]):
        first, second = parts_of(example)
        length = example["input_mask"].sum()
        ids = restored_ids(example)
        assert ids[[0, len(first) + 1, length - 1]].tolist() == [2, 3, 3]
        assert length <= 9 and not ids[length:].any()
        assert len({*first}) == len({*second}) == 1
        is_random = example["next_sentence_labels"][0]
        assert is_random or first[0] == second[0]
        strangers += bool(is_random and first[0] != second[0])
        totals.update(
            examples=1,
            random_next=int(is_random),
            predictions=int(example["masked_lm_weights"].sum()),
            example_tokens=int(length),
        )
    assert totals == {name: counts[name] for name in totals}
    assert strangers > 0.9 * totals["random_next"]  # A document has a twin.
    assert 0.3 < totals["random_next"] / totals["examples"] < 0.7


def test_the_records_are_shuffled(create, write_documents, vocabulary):
    words = [w for w in vocabulary.tokens[5:] if not w.startswith("##")]
    path = write_documents("words.txt", [[word] for word in words])
    shards, _ = create("out", make_options(dupe_factor=1), paths=[path])
    order = [int(parts_of(parse_example(record))[0][0]) for record in shards[0]]
    assert sorted(order) == sorted(set(order))
    assert order != sorted(order)


@pytest.mark.parametrize(
    "beam_options",
    [_TWO_THREADS, pytest.param(_TWO_PROCESSES, marks=pytest.mark.large)],
    ids=["threads", "processes"],
)
def test_the_records_depend_on_the_seed_alone(create, beam_options):
    expected, counts = create("a", num_shards=2)
    shards, same_counts = create("b", num_shards=3, beam_options=beam_options)
    assert _multiset(shards) == _multiset(expected)
    assert same_counts == counts
    other, _ = create("c", make_options(random_seed=2))
    assert _multiset(other) != _multiset(expected)


def test_the_manifest_tells_settings_and_counts(
    create, corpus_files, vocab_file, tmp_path
):
    options = make_options()
    _, counts = create("out", options, num_shards=2)
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["counts"] == counts
    assert manifest["settings"]["examples"] == dataclasses.asdict(options)
    assert [*manifest["settings"]["inputs"]] == corpus_files
    assert manifest["settings"]["text"]["do_lower_case"] is True
    vocabulary = Vocabulary.from_file(vocab_file)
    assert manifest["settings"]["vocabulary"] == vocabulary.sha256
    assert manifest["shares"]["random_next"] == round(
        counts["random_next"] / counts["examples"], 4
    )
    records = tmp_path / "out" / "00001-of-00002.tfrecord"
    assert manifest_of(records)[1] == manifest
    files = ["00000-of-00002.tfrecord", "00001-of-00002.tfrecord"]
    assert [*manifest["files"]] == files
    names = [*files, "manifest.json"]
    assert sorted(os.listdir(tmp_path / "out")) == names


def test_only_files_of_ours_are_replaced_on_demand(create, tmp_path):
    create("out", num_shards=3)
    with pytest.raises(ValueError, match=r"out/.* exists.*overwrite=True"):
        create("out")
    create("out", overwrite=True)
    name = "00000-of-00001.tfrecord"
    assert sorted(os.listdir(tmp_path / "out")) == [name, "manifest.json"]
    path = tmp_path / "out" / name
    changed = path.read_bytes()[:-1]
    path.write_bytes(changed)
    for _ in range(2):
        with pytest.raises(ValueError, match="tfrecord exists, and no mani"):
            create("out", overwrite=True)
        (tmp_path / "out" / "manifest.json").unlink(missing_ok=True)
    assert path.read_bytes() == changed


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("bad.txt", b"", r"without words.*bad\.txt"),
        ("bad.txt", b"a dog\na cat\n", r"1 document in .*bad\.txt"),
        (
            "bad.txt",
            b"a caf\xe9\n\nthe dog\n",
            r"^[^\n]*bad\.txt .*0xe9 at offset 5\. .*bad\.txt$",
        ),
        (
            "bad.gz",
            gzip.compress(b"a dog\n\na cat\n" * 9)[:-9],
            r"bad\.gz is not a complete gzip",
        ),
        ("a.jsonl", b'{"text": "a dog"}\n', r"sentence per line.*a\.jsonl"),
        ("no*.txt", None, r"No file matches '.*no\*\.txt'"),
        ("", None, "the directory"),
    ],
)
def test_bad_text_is_an_error_and_leaves_nothing(
    create, tmp_path, name, content, message, caplog
):
    caplog.set_level(logging.CRITICAL)
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ValueError, match=message):
        create("out", paths=[str(path)])
    output = tmp_path / "out"
    assert not output.exists() or os.listdir(output) == []


@pytest.mark.parametrize("kind", ["byte_bpe", "sentencepiece"])
def test_records_of_every_kind_of_tokenizer_are_made(
    kind, make_settings, small_blocks, tmp_path
):
    settings = make_settings(kind)
    settings.write(tmp_path)
    vocab_file = str(tmp_path / KINDS[kind].files[0])
    lines = [f"word{n % 10} word{n % 7} word{n % 3}" for n in range(60)]
    text = "\n\n".join("\n".join(lines[n : n + 6]) for n in range(0, 60, 6))
    (tmp_path / "text.txt").write_text(text)
    paths, text_options = [str(tmp_path / "text.txt")], TextOptions(vocab_file)
    options = make_options(packing="doc_sentences")
    expected = create_data(
        open_sources(paths),
        [str(tmp_path / "single.tfrecord")],
        text_options,
        options,
    )
    counts = pipeline.create_pretraining_data_on_beam(
        paths, str(tmp_path / "out"), text_options, options
    )
    for name in _TEXT_COUNTS:
        assert counts[name] == expected[name]
    # GPT-2's pattern splits words and numbers.
    a_word = {"byte_bpe": 2, "sentencepiece": 1}[kind]
    assert counts["tokens"] == a_word * 3 * 60 and not counts["unknown"]
    shards = _read_shards(tmp_path / "out")
    single = tf.data.TFRecordDataset(str(tmp_path / "single.tfrecord"))
    tokens = [
        collections.Counter(
            tuple(ids[ids != settings.vocabulary.id_of("<pad>")])
            for ids in (
                restored_ids(parse_example(record)) for record in records
            )
        )
        for records in (sum(shards, []), single.as_numpy_iterator())
    ]
    assert tokens[0] == tokens[1]
