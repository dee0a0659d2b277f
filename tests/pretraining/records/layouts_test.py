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
from keras_bert.pretraining.records.layouts import LAYOUTS
from keras_bert.pretraining.records.validation import read_checked_records

_SIZES = {"max_seq_length": 24, "max_predictions_per_seq": 5}


@pytest.fixture
def create(make_documents, write_documents, vocab_file, tmp_path):
    """Create records; return the paths, the counts and the manifest."""

    def create(packing, masking="dynamic", num_shards=2, num_documents=40):
        path = write_documents("text.txt", make_documents(1, num_documents))
        folder = tmp_path / packing
        folder.mkdir()
        paths = [str(folder / f"{n}") for n in range(num_shards)]
        options = DataOptions(
            packing=packing, masking=masking, dupe_factor=2, **_SIZES
        )
        counts = create_data(
            open_sources([path]),
            paths,
            TextOptions(vocab_file),
            options,
            str(folder / "manifest.json"),
        )
        return paths, counts, json.loads((folder / "manifest.json").read_text())

    return create


@pytest.fixture
def ids(vocabulary):
    return {x: vocabulary.id_of(y) for x, y in vocabulary.roles.items()}


@pytest.fixture
def dynamic_batches(ids, vocabulary):
    """Return a function that reads dynamic records."""

    def dynamic_batches(paths, joins, sizes=_SIZES, **masking):
        masking = MaskingOptions(
            mask_id=ids["mask"],
            pad_id=ids["pad"],
            sep_id=ids["sep"],
            cls_id=ids["cls"] if joins else None,
            **masking,
        )
        return dynamic_dataset(
            paths,
            batch_size=16,
            vocab_size=len(vocabulary),
            masking=masking,
            seed=1,
            epoch=0,
            **sizes,
        )

    return dynamic_batches


@pytest.mark.parametrize(
    ("packing", "masking"),
    [
        (packing, masking)
        for packing in LAYOUTS
        for masking in ("static", "dynamic")
        if masking == "dynamic" or not LAYOUTS[packing].joins
    ],
)
def test_records_conform_and_only_words_are_predicted(
    create, ids, dynamic_batches, vocabulary, packing, masking
):
    label, joins = LAYOUTS[packing].label, LAYOUTS[packing].joins
    paths, counts, manifest = create(packing, masking)
    assert manifest["settings"]["examples"]["packing"] == packing
    for values in (manifest["shares"], counts):
        assert {*values} & {"random_next", "swapped"} == {label} - {""}
    statistics, shown = inspect_records(paths, vocabulary)
    assert statistics.counts["records"] == counts["examples"]
    assert ("\n  B      " in shown[0]) == bool(label)
    if masking == "dynamic":
        batches = dynamic_batches(paths, joins, ngram=3)
    else:
        batches = pretraining_dataset(
            paths, 16, *_SIZES.values(), len(vocabulary)
        )
    num_seps, num_texts = [], []
    for inputs, labels, weights in batches.as_numpy_iterator():
        predicted = labels["mlm_logits"][weights["mlm_logits"] > 0]
        assert not np.isin(predicted, [ids["cls"], ids["sep"]]).any()
        assert (weights["mlm_logits"].sum(axis=1) > 0).all()
        if joins:
            num_texts += inputs["text_numbers"].max(axis=1).tolist()
        num_seps += (inputs["input_ids"] == ids["sep"]).sum(axis=1).tolist()
        in_second = inputs["segment_ids"].any(axis=1)
        assert (in_second == bool(label)).all()
    if joins:
        assert max(num_texts) > 1
        return
    # A random id can be the id of [SEP].
    usual = 2 if label else 1
    assert np.bincount(num_seps).argmax() == usual
    assert sum(n > usual for n in num_seps) > 3 or packing != "full_sentences"


def test_rows_hold_the_texts_of_documents_whole(create, ids, vocabulary):
    """Check the texts of `doc_sentences`, in fewer rows."""
    texts, rows = {}, {}
    for packing in ("doc_sentences", "best_fit"):
        paths, counts, _ = create(packing)
        rows[packing] = counts["examples"]
        texts[packing] = []
        for path in paths:
            for values in read_checked_records(path, vocabulary):
                lengths = values["input_mask"].sum(axis=1)
                np.testing.assert_array_equal(
                    values["segment_boundary"][:, 0], lengths
                )
                for row, starts, length in zip(
                    values["input_ids"], values["word_starts"], lengths
                ):
                    edges = np.flatnonzero(row[:length] == ids["cls"])[1:]
                    pairs = np.stack([row, starts])[:, :length]
                    parts = np.split(pairs, edges, axis=1)
                    texts[packing] += [part.tolist() for part in parts]
    assert sorted(texts["best_fit"]) == sorted(texts["doc_sentences"])
    assert rows["best_fit"] < 0.9 * rows["doc_sentences"]


@pytest.mark.parametrize("whole_words", [False, True])
def test_special_tokens_are_masked_if_asked_for(
    create, ids, dynamic_batches, whole_words
):
    paths, _, _ = create("best_fit")
    predicted, wanted, firsts = [], 0, []
    for inputs, labels, weights in dynamic_batches(
        paths,
        joins=True,
        sizes={**_SIZES, "max_predictions_per_seq": 20},
        masked_lm_prob=0.5,
        do_whole_word_mask=whole_words,
        mask_special_tokens=True,
    ).as_numpy_iterator():
        is_real = weights["mlm_logits"] > 0
        predicted += labels["mlm_logits"][is_real].tolist()
        lengths = inputs["input_mask"].sum(axis=1)
        wanted += int(np.round(lengths * 0.5).sum())
        np.testing.assert_array_equal(
            inputs["text_numbers"] > 0, inputs["input_mask"]
        )
        is_first = is_real & (inputs["masked_lm_positions"] == 0)
        rows = np.flatnonzero(is_first.any(axis=1))
        firsts += inputs["input_ids"][rows, 0].tolist()
    # The first position has the drawn replacement, mostly [MASK].
    assert np.mean(np.array(firsts) == ids["mask"]) > 0.5
    shares = np.bincount(predicted) / len(predicted)
    assert min(shares[ids["cls"]], shares[ids["sep"]]) > 0.03
    assert len(predicted) == wanted or whole_words


def test_one_document_suffices_for_one_text(create):
    for packing in ("full_sentences", "doc_sentences", "best_fit"):
        _, counts, _ = create(packing, num_shards=1, num_documents=1)
        assert counts["documents"] == 1


def test_separators_are_needed_and_never_predicted(
    create, ids, vocabulary, write_record_file
):
    paths, _, _ = create("full_sentences", "static")
    record = next(tf.data.TFRecordDataset(paths).as_numpy_iterator())
    example = tf.train.Example.FromString(record)
    values = example.features.feature["masked_lm_ids"].int64_list.value
    values[0] = ids["sep"]
    path = write_record_file("bad", [example.SerializeToString()])
    with pytest.raises(ValueError, match="`masked_lm_ids` must not be"):
        list(read_checked_records(path, vocabulary))
    paths, _, _ = create("doc_sentences")
    masking = MaskingOptions(ids["mask"])
    sizes = 8, *_SIZES.values(), len(vocabulary)
    with pytest.raises(Exception, match="require `sep_id`"):
        next(iter(dynamic_dataset(paths, *sizes, masking, seed=1)))
