"""Each packing, from text to batches."""

import json

import numpy as np
import pytest
import tensorflow as tf

from keras_bert.cli.inspection.reading import inspect_records
from keras_bert.pretraining import DataOptions
from keras_bert.pretraining import MaskingOptions
from keras_bert.pretraining import TextOptions
from keras_bert.pretraining import create_data
from keras_bert.pretraining import dataset as pretraining_dataset
from keras_bert.pretraining import dynamic_dataset
from keras_bert.pretraining import open_sources
from keras_bert.pretraining.examples.packings import PACKINGS
from keras_bert.pretraining.records.validation import read_checked_records
from keras_bert.text.tokenizer_kinds import vocabulary_of_file

_SIZES = {"max_seq_length": 24, "max_predictions_per_seq": 5}
_ALL = pytest.mark.parametrize("packing", PACKINGS)


@pytest.fixture
def create(make_documents, write_documents, vocab_file, tmp_path):
    """Create records; return the paths, the counts and the manifest."""

    def create(packing, num_shards=2, num_documents=40, **options):
        if PACKINGS[packing].joins:
            options = {"masking": "dynamic", **options}
        path = write_documents("text.txt", make_documents(1, num_documents))
        folder = tmp_path / f"{packing}-{len([*tmp_path.iterdir()])}"
        folder.mkdir()
        paths = [str(folder / f"{n}") for n in range(num_shards)]
        counts = create_data(
            open_sources([path]),
            paths,
            TextOptions(vocab_file),
            DataOptions(packing=packing, dupe_factor=2, **_SIZES, **options),
            str(folder / "manifest.json"),
        )
        return paths, counts, json.loads((folder / "manifest.json").read_text())

    return create


@_ALL
def test_the_manifest_tells_the_packing_and_its_label(create, packing):
    _, counts, manifest = create(packing)
    assert manifest["settings"]["examples"]["packing"] == packing
    labels = {"random_next", "swapped"}
    label = PACKINGS[packing].label
    assert {*manifest["shares"]} & labels == ({label} - {""})
    assert {*counts} & labels == ({label} - {""})


@_ALL
@pytest.mark.parametrize("masking", ["static", "dynamic"])
def test_records_conform_and_only_words_are_predicted(
    create, vocab_file, packing, masking
):
    vocabulary = vocabulary_of_file(vocab_file)
    ids = {x: vocabulary.id_of(y) for x, y in vocabulary.roles.items()}
    joins = PACKINGS[packing].joins
    if joins and masking == "static":
        with pytest.raises(ValueError, match="'best_fit' needs .*'static'"):
            create(packing, masking=masking)
        return
    paths, counts, _ = create(packing, masking=masking)
    statistics, shown = inspect_records(paths, vocabulary)
    assert statistics.counts["records"] == counts["examples"]
    has_segment = "\n  B      " in shown[0]
    assert has_segment == bool(PACKINGS[packing].label)
    arguments = dict(batch_size=16, vocab_size=len(vocabulary), **_SIZES)
    if masking == "dynamic":
        masking = MaskingOptions(
            mask_id=ids["mask"],
            pad_id=ids["pad"],
            sep_id=ids["sep"],
            ngram=3,
            cls_id=ids["cls"] if joins else None,
        )
        batches = dynamic_dataset(
            paths, masking=masking, seed=1, epoch=0, **arguments
        )
    else:
        batches = pretraining_dataset(paths, **arguments)
    num_seps, num_texts = [], []
    for inputs, labels, weights in batches.as_numpy_iterator():
        predicted = labels["mlm_logits"][weights["mlm_logits"] > 0]
        assert not np.isin(predicted, [ids["cls"], ids["sep"]]).any()
        assert (weights["mlm_logits"].sum(axis=1) > 0).all()
        if joins:
            num_texts += inputs["text_numbers"].max(axis=1).tolist()
        num_seps += (inputs["input_ids"] == ids["sep"]).sum(axis=1).tolist()
        in_second = inputs["segment_ids"].any(axis=1)
        assert (in_second == bool(PACKINGS[packing].label)).all()
    if joins:
        assert max(num_texts) > 1
        return
    # A random id can be the id of [SEP].
    usual = {"full_sentences": 1, "doc_sentences": 1}.get(packing, 2)
    assert np.bincount(num_seps).argmax() == usual
    assert sum(n > usual for n in num_seps) > 3 or packing != "full_sentences"


def test_rows_hold_the_texts_of_documents_whole(create, vocab_file):
    """Check the texts of `doc_sentences`, in fewer rows."""
    vocabulary = vocabulary_of_file(vocab_file)
    cls_id = vocabulary.id_of(vocabulary.roles["cls"])
    texts, rows = {}, {}
    for packing in ("doc_sentences", "best_fit"):
        paths, counts, _ = create(packing, masking="dynamic")
        rows[packing] = counts["examples"]
        texts[packing] = []
        for path in paths:
            for values in read_checked_records(path, vocabulary):
                lengths = values["input_mask"].sum(axis=1)
                np.testing.assert_array_equal(
                    values["segment_boundary"][:, 0], lengths
                )
                for ids, starts, length in zip(
                    values["input_ids"], values["word_starts"], lengths
                ):
                    edges = np.flatnonzero(ids[:length] == cls_id)[1:]
                    pairs = np.stack([ids, starts])[:, :length]
                    parts = np.split(pairs, edges, axis=1)
                    texts[packing] += [part.tolist() for part in parts]
    assert sorted(texts["best_fit"]) == sorted(texts["doc_sentences"])
    assert rows["best_fit"] < 0.9 * rows["doc_sentences"]


def test_special_tokens_are_masked_if_asked_for(create, vocab_file):
    vocabulary = vocabulary_of_file(vocab_file)
    ids = {x: vocabulary.id_of(y) for x, y in vocabulary.roles.items()}
    paths, _, _ = create("best_fit", masking="dynamic")
    sizes = {**_SIZES, "max_predictions_per_seq": 20}
    for whole in (False, True):
        predicted, wanted, firsts = [], 0, []
        masking = MaskingOptions(
            mask_id=ids["mask"],
            pad_id=ids["pad"],
            sep_id=ids["sep"],
            cls_id=ids["cls"],
            masked_lm_prob=0.5,
            do_whole_word_mask=whole,
            mask_special_tokens=True,
        )
        batches = dynamic_dataset(
            paths,
            batch_size=16,
            vocab_size=len(vocabulary),
            masking=masking,
            seed=1,
            epoch=0,
            **sizes,
        )
        for inputs, labels, weights in batches.as_numpy_iterator():
            is_real = weights["mlm_logits"] > 0
            predicted += labels["mlm_logits"][is_real].tolist()
            lengths = inputs["input_mask"].sum(axis=1)
            wanted += int(np.round(lengths * 0.5).sum())
            numbers = inputs["text_numbers"]
            np.testing.assert_array_equal(numbers > 0, inputs["input_mask"])
            is_first = is_real & (inputs["masked_lm_positions"] == 0)
            rows = np.flatnonzero(is_first.any(axis=1))
            firsts += inputs["input_ids"][rows, 0].tolist()
        # The first position has the drawn replacement, mostly [MASK].
        assert np.mean(np.array(firsts) == ids["mask"]) > 0.5
        shares = np.bincount(predicted) / len(predicted)
        assert min(shares[ids["cls"]], shares[ids["sep"]]) > 0.03
        if not whole:
            assert len(predicted) == wanted


def test_one_document_suffices_for_one_text(create):
    for packing in ("full_sentences", "doc_sentences", "best_fit"):
        _, counts, _ = create(packing, num_shards=1, num_documents=1)
        assert counts["documents"] == 1
    with pytest.raises(ValueError, match="two documents.*1 document in"):
        create("sentence_order", num_shards=1, num_documents=1)


def test_records_of_one_text_need_the_separator(create, vocab_file):
    vocabulary = vocabulary_of_file(vocab_file)
    paths, _, _ = create("full_sentences", masking="dynamic")
    batches = dynamic_dataset(
        paths,
        8,
        vocab_size=len(vocabulary),
        masking=MaskingOptions(4),
        seed=1,
        **_SIZES,
    )
    with pytest.raises(Exception, match="require `sep_id`"):
        next(iter(batches))


def test_a_prediction_at_a_separator_is_named(
    create, vocab_file, tmp_path, write_record_file
):
    vocabulary = vocabulary_of_file(vocab_file)
    paths, _, _ = create("full_sentences")
    record = next(tf.data.TFRecordDataset(paths).as_numpy_iterator())
    example = tf.train.Example.FromString(record)
    values = example.features.feature["masked_lm_ids"].int64_list.value
    values[0] = vocabulary.id_of(vocabulary.roles["sep"])
    path = write_record_file("bad", [example.SerializeToString()])
    with pytest.raises(ValueError, match="`masked_lm_ids` must not be"):
        list(read_checked_records(path, vocabulary))
