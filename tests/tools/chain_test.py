"""One tokenizer from the records to the served model.

The chain writes records, trains a model, converts it to another format and
back, and exports it. The SavedModel must give the ids of the records for the
same text.
"""

import itertools
import unicodedata

import numpy as np
import pytest
import tensorflow as tf

from keras_bert import features
from keras_bert.checkpoints import from_pretrained
from keras_bert.text import BertTokenizer
from keras_bert.text import Vocabulary
from keras_bert.text.wordpiece.vocabulary import CLS
from keras_bert.text.wordpiece.vocabulary import SEP
from keras_bert.text.wordpiece.vocabulary import SPECIAL_TOKENS
from tests import tiny

pytestmark = pytest.mark.large

_SEQ_LENGTH = 256
_DOCUMENTS = [
    ["Das Café in Zürich.", "BERT liest ÉLAN.", "It Sees the Dog!"],
    ["The naïve Cat, PAUL.", "Ein Öl.", "Where is Ångström?"],
    ["我喜歡BERT。", "他在Google工作。", "今天，天氣好。"],
    ["北京NBA球隊。", "小é貓。", "我們走。"],
    ["यह हिन्दी में है।", "मैं BERT पढ़ता हूँ।", "Zoë और राम।"],
    ["Привет, Йод!", "Ёлка и МИР.", "тёплый день."],
    ["שָׁלוֹם עולם", "Ελλάδα και ΌΛΑ", "دَرَسَ الوَلَد"],
]
_COMMANDS = (
    "create_pretraining_data --input_file=text.txt --vocab_file=vocab.txt "
    "--output_file=train.tfrecord --masking=dynamic --short_seq_prob=0 "
    f"--max_seq_length={_SEQ_LENGTH} --max_predictions_per_seq=5 "
    "--dupe_factor=2 --do_lower_case={lowercase}",
    # The manifest contains the settings of the records.
    "run_pretraining --input_file=train.tfrecord --vocab_file=vocab.txt "
    "--bert_config_file=config.json --output_dir=run --num_train_steps=2 "
    "--num_warmup_steps=1 --train_batch_size=4",
    "convert_checkpoint --input_dir=run --output_dir=hf --format=hf",
    "convert_checkpoint --input_dir=hf --output_dir=back --format=keras",
    "export_saved_model --input_dir=back --output_dir=served "
    "--task=feature_extractor",
)


def _make_inputs(folder):
    """Write text, vocabulary and config of a user; return the vocabulary."""
    documents = ["\n".join(document) for document in _DOCUMENTS]
    text = "\n\n".join(documents) + "\n"
    (folder / "text.txt").write_text(text, encoding="utf-8")
    plain = unicodedata.normalize("NFD", text.lower())
    pieces = sorted(c for c in {*text, *plain} if not c.isspace())
    # The Chinese vocabulary contains a line separator.
    words = ["\u2028", "BERT", "bert", "google"]
    vocabulary = Vocabulary(
        [*SPECIAL_TOKENS, *words, *pieces, *(f"##{c}" for c in pieces)]
    )
    vocabulary.save(folder / "vocab.txt")
    config = tiny.config("bert", V=len(vocabulary), P=_SEQ_LENGTH, L=1)
    config.to_json(folder / "config.json")
    return vocabulary


def _ids_in_records(path):
    """Return the distinct first and second texts as tuples of ids."""
    found = set()
    for record in tf.data.TFRecordDataset(str(path)).as_numpy_iterator():
        held = tf.train.Example.FromString(record).features.feature
        ids = [*held[features.TOKEN_IDS.name].int64_list.value]
        boundary = held[features.SEGMENT_BOUNDARY.name].int64_list.value[0]
        found |= {tuple(ids[1 : boundary - 1]), tuple(ids[boundary:-1])}
    return found


def _runs():
    """Return all consecutive sentences as one text."""
    for document in _DOCUMENTS:
        for begin, end in itertools.combinations(range(len(document) + 1), 2):
            yield " ".join(document[begin:end])


def _ids_of(tokenizer, texts):
    return [tuple(ids) for ids in tokenizer(texts).to_list()]


def _assert_serves(directory, vocabulary, texts, ids):
    """Assert that the SavedModel gives the same outputs for texts and ids."""
    signatures = tf.saved_model.load(str(directory)).signatures
    inputs = {
        feature.name: np.zeros((len(ids), _SEQ_LENGTH), np.int32)
        for feature in features.ENCODER_INPUTS
    }
    for row, tokens in enumerate(ids):
        tokens = [vocabulary.id_of(CLS), *tokens, vocabulary.id_of(SEP)]
        inputs["input_ids"][row, : len(tokens)] = tokens
        inputs["input_mask"][row, : len(tokens)] = 1
    inputs = {name: tf.constant(array) for name, array in inputs.items()}
    expected = signatures["ids"](**inputs)["sequence_output"]
    served = signatures["serving_default"](text=tf.constant(texts))
    longest = 2 + max(map(len, ids))  # Longer texts are not served.
    np.testing.assert_allclose(
        served["sequence_output"], expected[:, :longest], rtol=0, atol=1e-6
    )


@pytest.mark.smoke("False")
@pytest.mark.parametrize("lowercase", [False, True])
def test_records_and_served_model_tokenize_alike(run, tmp_path, lowercase):
    vocabulary = _make_inputs(tmp_path)
    for command in _COMMANDS:
        words = command.format(lowercase=lowercase).split()
        code, _, stderr = run(*words, folder=tmp_path)
        assert code == 0, f"{command}: {stderr}"
    in_records = _ids_in_records(tmp_path / "train.tfrecord")
    texts = [*_runs()]
    tokenizer = from_pretrained(tmp_path / "back").tokenizer
    assert tokenizer.lowercase == lowercase
    assert tokenizer.vocabulary.tokens == vocabulary.tokens
    text_of = dict(zip(_ids_of(tokenizer, texts), texts))
    assert len(in_records) > 4
    assert in_records <= {*text_of}
    # The other casing would give a different output.
    other = BertTokenizer(vocabulary, lowercase=not lowercase)
    assert not in_records <= {*_ids_of(other, texts)}
    ids = sorted(in_records)
    served = tmp_path / "served" / "1"
    _assert_serves(served, vocabulary, [text_of[i] for i in ids], ids)
