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
from keras_bert.config import BertConfig
from keras_bert.text import BertTokenizer
from keras_bert.text import Vocabulary
from keras_bert.text.wordpiece.vocabulary import CLS
from keras_bert.text.wordpiece.vocabulary import SEP
from keras_bert.text.wordpiece.vocabulary import SPECIAL_TOKENS

pytestmark = pytest.mark.large

_SEQ_LENGTH = 256
_LATIN = [
    ["Das Café in Zürich.", "BERT liest ÉLAN.", "It Sees the Dog!"],
    ["The naïve Cat, PAUL.", "Ein Öl.", "Where is Ångström?"],
    ["A résumé is RED.", "Old HOUSES fall.", "No bird Sings."],
]
_CHINESE = [
    ["我喜歡BERT。", "他在Google工作。", "今天，天氣好。"],
    ["這是Über的車。", "她讀ABC書。", "你好！"],
    ["北京NBA球隊。", "小é貓。", "我們走。"],
]
_HINDI = [
    ["यह हिन्दी में है।", "मैं BERT पढ़ता हूँ।", "Zoë और राम।"],
    ["Привет, Йод!", "Ёлка и МИР.", "тёплый день."],
    ["שָׁלוֹם עולם", "Ελλάδα και ΌΛΑ", "دَرَسَ الوَلَد"],
]
_TEXTS = {
    "uncased": _LATIN,
    "cased": _LATIN,
    "chinese": _CHINESE,
    "multilingual": _HINDI,
}


def _make_vocabulary(name):
    """Return every character of the texts that such a vocabulary contains."""
    text = "".join(itertools.chain.from_iterable(_TEXTS[name]))
    plain = unicodedata.normalize("NFD", text.lower())
    if name == "uncased":
        text = "".join(c for c in plain if unicodedata.category(c) != "Mn")
    characters = sorted({*text, *plain} if name != "uncased" else {*text})
    pieces = [c for c in characters if not c.isspace()]
    # The Chinese vocabulary contains a line separator.
    words = ["\u2028", "BERT", "bert", "google"] if name == "chinese" else []
    return Vocabulary(
        [*SPECIAL_TOKENS, *words, *pieces, *(f"##{c}" for c in pieces)]
    )


def _make_inputs(folder, vocabulary, documents):
    """Write text, vocabulary and config of a user."""
    text = "\n\n".join("\n".join(document) for document in documents)
    (folder / "text.txt").write_text(text + "\n", encoding="utf-8")
    vocabulary.save(folder / "vocab.txt")
    BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=8,
        num_hidden_layers=1,
        num_attention_heads=1,
        intermediate_size=8,
        max_position_embeddings=_SEQ_LENGTH,
    ).to_json(folder / "config.json")


_RECORDS = {
    "input_file": "text.txt",
    "vocab_file": "vocab.txt",
    "output_file": "train.tfrecord",
    "masking": "dynamic",
    "max_seq_length": _SEQ_LENGTH,
    "max_predictions_per_seq": 5,
    "short_seq_prob": 0,
    "dupe_factor": 2,
}
# The manifest contains the settings of the records.
_TRAINING = {
    "input_file": "train.tfrecord",
    "vocab_file": "vocab.txt",
    "bert_config_file": "config.json",
    "output_dir": "run",
    "num_train_steps": 2,
    "num_warmup_steps": 1,
    "train_batch_size": 4,
}


def _go(run, folder, lowercase):
    """Run the whole chain."""
    for tool, flags in (
        ("create_pretraining_data", {**_RECORDS, "do_lower_case": lowercase}),
        ("run_pretraining", _TRAINING),
        ("convert_checkpoint", _from_to("run", "hf", format="hf")),
        ("convert_checkpoint", _from_to("hf", "back", format="keras")),
        (
            "export_saved_model",
            _from_to("back", "served", task="feature_extractor"),
        ),
    ):
        words = [f"--{name}={value}" for name, value in flags.items()]
        code, _, stderr = run(tool, *words, folder=folder)
        assert code == 0, f"{tool}: {stderr}"


def _from_to(source, target, **flags):
    return {"input_dir": source, "output_dir": target, **flags}


def _ids_in_records(path):
    """Return the distinct first and second texts as tuples of ids."""
    found = set()
    for record in tf.data.TFRecordDataset(str(path)).as_numpy_iterator():
        held = tf.train.Example.FromString(record).features.feature
        ids = [*held[features.TOKEN_IDS.name].int64_list.value]
        boundary = held[features.SEGMENT_BOUNDARY.name].int64_list.value[0]
        found |= {
            tuple(ids[1 : boundary - 1]),
            tuple(ids[boundary:-1]),
        }
    return found


def _runs(documents):
    """Return all consecutive sentences as one text."""
    for document in documents:
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


@pytest.mark.smoke("multilingual")
@pytest.mark.parametrize(
    ("name", "lowercase"),
    [
        ("uncased", True),
        ("cased", False),
        ("chinese", True),
        ("multilingual", False),
    ],
)
def test_records_and_served_model_tokenize_alike(
    run, tmp_path, name, lowercase
):
    vocabulary, documents = _make_vocabulary(name), _TEXTS[name]
    _make_inputs(tmp_path, vocabulary, documents)
    _go(run, tmp_path, lowercase)
    in_records = _ids_in_records(tmp_path / "train.tfrecord")
    texts = list(_runs(documents))
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
    _assert_serves(
        tmp_path / "served" / "1", vocabulary, [text_of[i] for i in ids], ids
    )
