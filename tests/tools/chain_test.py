"""One tokenizer from the records to the served model.

Records are made, a model is trained, converted there and back, and exported.
The ids in the records must be those of the SavedModel for the same text.
"""

import itertools
import os
import pathlib
import unicodedata

import numpy as np
import pytest
import tensorflow as tf

from keras_bert import artifacts
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
# Where the published vocabularies are, if they are.
_FOLDER = os.environ.get("PUBLISHED_VOCABULARIES")
_PUBLISHED = sorted(
    map(str, pathlib.Path(_FOLDER).glob("*vocab*.txt")) if _FOLDER else ()
)
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
    """Every character of the texts that such a vocabulary would hold."""
    if name not in _TEXTS:
        return Vocabulary.from_file(name)
    text = "".join(itertools.chain.from_iterable(_TEXTS[name]))
    plain = unicodedata.normalize("NFD", text.lower())
    if name == "uncased":
        text = "".join(c for c in plain if unicodedata.category(c) != "Mn")
    characters = sorted({*text, *plain} if name != "uncased" else {*text})
    pieces = [c for c in characters if not c.isspace()]
    # A line separator is a piece of the Chinese vocabulary.
    words = ["\u2028", "BERT", "bert", "google"] if name == "chinese" else []
    return Vocabulary(
        [*SPECIAL_TOKENS, *words, *pieces, *(f"##{c}" for c in pieces)]
    )


def _texts_of(name):
    for known in ("chinese", "multilingual", "uncased", "cased"):
        if known in pathlib.Path(name).name:
            return _TEXTS[known]
    return _LATIN


def _flags(**values):
    return [f"--{name}={value}" for name, value in values.items()]


def _make_inputs(folder, vocabulary, documents):
    """Text, vocabulary and config, as a user has them."""
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


def _records_call(folder, lowercase, name="train", **changes):
    return "create_pretraining_data", {
        "input_file": folder / "text.txt",
        "vocab_file": folder / "vocab.txt",
        "output_file": folder / f"{name}.tfrecord",
        "do_lower_case": str(lowercase).lower(),
        "masking": "dynamic",
        "max_seq_length": _SEQ_LENGTH,
        "max_predictions_per_seq": 5,
        "short_seq_prob": 0,
        "dupe_factor": 2,
        **changes,
    }


def _training_call(folder, **changes):
    """Nothing of how the records were made: their manifest tells."""
    return "run_pretraining", {
        "input_file": folder / "train.tfrecord",
        "vocab_file": folder / "vocab.txt",
        "bert_config_file": folder / "config.json",
        "output_dir": folder / "run",
        "num_train_steps": 2,
        "num_warmup_steps": 1,
        "train_batch_size": 4,
        **changes,
    }


def _export_call(folder, tool="export_saved_model", **changes):
    return tool, {
        "input_dir": folder / "back",
        "output_dir": folder / "served",
        **changes,
    }


def _convert_call(folder, source, target, form, **changes):
    return "convert_checkpoint", {
        "input_dir": folder / source,
        "output_dir": folder / target,
        "format": form,
        **changes,
    }


def _go(run, folder, lowercase):
    """The whole chain."""
    for tool, flags in (
        _records_call(folder, lowercase),
        _training_call(folder),
        _convert_call(folder, "run", "hf", "hf"),
        _convert_call(folder, "hf", "back", "keras"),
        _export_call(folder, task="feature_extractor"),
    ):
        code, _, stderr = run(tool, *_flags(**flags))
        assert code == 0, f"{tool}: {stderr}"


def _ids_in_records(path):
    """The distinct first and second texts, as tuples of ids."""
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
    """All sentences that follow each other, as one text."""
    for document in documents:
        for begin, end in itertools.combinations(range(len(document) + 1), 2):
            yield " ".join(document[begin:end])


def _ids_of(tokenizer, texts):
    return [tuple(ids) for ids in tokenizer(texts).to_list()]


def _assert_serves(directory, vocabulary, texts, ids):
    """The SavedModel gives for texts what it gives for their ids."""
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
    longest = 2 + max(map(len, ids))  # Behind it nothing is served.
    np.testing.assert_allclose(
        served["sequence_output"], expected[:, :longest], rtol=0, atol=1e-6
    )


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("name", "lowercase"),
    [
        ("uncased", True),
        ("cased", False),
        ("chinese", True),
        ("multilingual", False),
        *((name, casing) for name in _PUBLISHED for casing in (True, False)),
    ],
    ids=lambda value: pathlib.Path(f"{value}").name,
)
def test_records_and_served_model_tokenize_alike(
    run, tmp_path, name, lowercase
):
    vocabulary, documents = _make_vocabulary(name), _texts_of(name)
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
    # With the other casing it would be seen.
    other = BertTokenizer(vocabulary, lowercase=not lowercase)
    assert not in_records <= {*_ids_of(other, texts)}
    ids = sorted(in_records)
    _assert_serves(
        tmp_path / "served" / "1", vocabulary, [text_of[i] for i in ids], ids
    )


@pytest.fixture(scope="module")
def chain(run, tmp_path_factory):
    """The files of a whole chain; nobody writes to it."""
    folder = tmp_path_factory.mktemp("chain")
    vocabulary = _make_vocabulary("cased")
    _make_inputs(folder, vocabulary, _LATIN)
    _go(run, folder, lowercase=False)
    for name, changes in (
        ("lower", {"lowercase": True}),
        ("static", {"lowercase": False, "masking": "static"}),
        ("short", {"lowercase": False, "max_seq_length": 32}),
    ):
        tool, flags = _records_call(folder, name=name, **changes)
        assert run(tool, *_flags(**flags))[0] == 0
    pieces = vocabulary.tokens
    Vocabulary([*pieces[:-2], pieces[-1], pieces[-2]]).save(
        folder / "swapped.txt"
    )
    (folder / "learned").mkdir()
    with artifacts.recorded_file(
        folder / "learned" / "vocab.txt", {"do_lower_case": False}
    ) as path:
        pathlib.Path(path).write_bytes((folder / "vocab.txt").read_bytes())
    return folder


_CASING, _VOCABULARY = "do_lower_case", "vocab"
# What is asked of the chain, and what the refusal must name.
_DIFFERENCES = {
    "training, casing": (
        lambda place, new: _training_call(
            place, output_dir=new, do_lower_case="true"
        ),
        _CASING,
    ),
    "training, vocabulary": (
        lambda place, new: _training_call(
            place, output_dir=new, vocab_file=place / "swapped.txt"
        ),
        _VOCABULARY,
    ),
    "training, length": (
        lambda place, new: _training_call(
            place, output_dir=new, max_seq_length=32
        ),
        "max_seq_length",
    ),
    "training, masking": (
        lambda place, new: _training_call(
            place, output_dir=new, masking="static"
        ),
        "masking",
    ),
    "evaluation, casing": (
        lambda place, new: _training_call(
            place, output_dir=new, eval_file=place / "lower.tfrecord"
        ),
        _CASING,
    ),
    "evaluation, length": (
        lambda place, new: _training_call(
            place, output_dir=new, eval_file=place / "short.tfrecord"
        ),
        "max_seq_length",
    ),
    "evaluation, masking": (
        lambda place, new: _training_call(
            place, output_dir=new, eval_file=place / "static.tfrecord"
        ),
        "masking",
    ),
    "vocabulary's manifest, casing": (
        lambda place, new: _records_call(
            place,
            lowercase=True,
            vocab_file=place / "learned" / "vocab.txt",
            output_file=new,
        ),
        _CASING,
    ),
    "inspection, vocabulary": (
        lambda place, new: (
            "inspect_records",
            {
                "input_file": place / "train.tfrecord",
                "vocab_file": place / "swapped.txt",
            },
        ),
        _VOCABULARY,
    ),
    "conversion, casing": (
        lambda place, new: _convert_call(
            place, "run", new, "hf", do_lower_case="true"
        ),
        _CASING,
    ),
    "export, casing": (
        lambda place, new: _export_call(
            place, output_dir=new, do_lower_case="true"
        ),
        _CASING,
    ),
}


@pytest.mark.parametrize("difference", _DIFFERENCES)
def test_a_difference_is_refused(run, chain, tmp_path, difference):
    make_call, named = _DIFFERENCES[difference]
    tool, flags = make_call(chain, tmp_path / "new")
    code, stdout, stderr = run(tool, *_flags(**flags))
    assert code == 1
    assert not stdout
    line = stderr.splitlines()[-1]
    assert line.startswith("Error: ") and named in line, stderr
    assert "Traceback" not in stderr
    assert not any(path.is_file() for path in tmp_path.rglob("*"))


def test_training_on_from_a_checkpoint_of_another_casing_is_refused(
    run, chain, tmp_path
):
    tool, flags = _training_call(
        chain,
        input_file=chain / "lower.tfrecord",
        init_checkpoint=chain / "run",
        output_dir=tmp_path / "new",
    )
    del flags["vocab_file"], flags["bert_config_file"]
    code, _, stderr = run(tool, *_flags(**flags))
    assert code == 1
    assert "do_lower_case" in stderr.splitlines()[-1]
    assert not any(path.is_file() for path in tmp_path.rglob("*"))
