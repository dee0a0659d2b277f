"""Shared fixtures: a clean Keras for each test, and `run_layer_test`."""

import ast
import collections
import doctest
import gc
import inspect
import json
import os
import pathlib
import random
import re
import signal
import sys
import tempfile
import warnings

import numpy as np
import pytest

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
# Tiny matrices gain nothing from more threads or from compiled kernels.
os.environ.setdefault("TF_NUM_INTRAOP_THREADS", "1")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")

_TESTS = pathlib.Path(__file__).parent

# A shell starts background jobs with Ctrl-C ignored. Programs that tests
# start and interrupt would inherit this.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Files that take half a minute or more, the slowest first.
_LONGEST = (
    "pretraining/job/run_pretraining_test.py",
    "tools/programs_test.py",
    "tools/chain_test.py",
    "tools/fine_tuning_test.py",
    "export/tflite_test.py",
    "pretraining/records/resume_test.py",
    "export/served_tasks_test.py",
)


def pytest_addoption(parser):
    parser.addoption(
        "--shard",
        default="1/1",
        metavar="K/N",
        help="run the Kth of N parts with about equally many tests",
    )


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Mark cases, run slow files first, and select the files of the shard.

    Otherwise a worker would start a slow file last.
    """
    for item in items:
        mark = item.get_closest_marker("smoke")
        if mark and not any(word in item.callspec.id for word in mark.args):
            item.add_marker("exhaustive")
    order = {_TESTS / name: index for index, name in enumerate(_LONGEST)}
    large = {item.path for item in items if item.get_closest_marker("large")}
    last = len(order)
    items.sort(
        key=lambda item: order.get(item.path, last + (item.path not in large))
    )
    result = yield  # Pytest deselects other marks here.
    number, count = map(int, config.getoption("--shard").split("/"))
    sizes = collections.Counter(item.path for item in items)
    shards = [{} for _ in range(count)]  # Each has about as many tests.
    for path, size in sizes.most_common():
        min(shards, key=lambda shard: sum(shard.values()))[path] = size
    others = {*sizes} - {*shards[number - 1]}
    config.hook.pytest_deselected(
        items=[item for item in items if item.path in others]
    )
    items[:] = [item for item in items if item.path not in others]
    return result


@pytest.hookimpl(trylast=True)
def pytest_collection_finish():
    """Exclude imported objects from garbage collection.

    Tracing creates so many objects that full collections over them took
    about a seventh of the time of the tests.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 20, 20)


def _reset_keras():
    """Reset the dtype policy and the seeds."""
    random.seed(1810)
    if "keras" in sys.modules:
        import keras

        keras.config.set_dtype_policy("float32")
        keras.utils.set_random_seed(1810)


@pytest.fixture(scope="module", autouse=True)
def same_models_in_any_order():
    """Reset Keras before the fixtures of a file create models.

    They must not depend on the files that a worker has run before.
    """
    _reset_keras()


@pytest.fixture(scope="module", autouse=True)
def forget_custom_gradients():
    """Free the graphs of the tests of a file.

    TensorFlow keeps the gradient of each traced `tf.custom_gradient`, and its
    graph, forever; Keras's losses and our layers have some. No public function
    removes them, and a worker would grow to four gigabytes. The functions that
    the library has traced need them, so it forgets these too.
    """
    yield
    if "keras_bert.custom_gradient" in sys.modules:
        sys.modules["keras_bert.custom_gradient"]._TRACED.clear()
    if "tensorflow" in sys.modules:
        import tensorflow as tf

        register = tf.RegisterGradient.__call__
        registered = register.__globals__["gradient_registry"]._registry
        stale = [x for x in registered if x.startswith("CustomGradient-")]
        for name in stale:
            del registered[name]
        if stale:
            gc.collect()


@pytest.fixture(autouse=True)
def clean_keras():
    """Reset Keras before each test."""
    _reset_keras()


@pytest.fixture(autouse=True)
def same_signal_handlers(monkeypatch):
    """Restore the handlers that programs set, and let them set none of SIGPIPE.

    With theirs, any write to a closed pipe or socket ends the process without
    a message, also one of another thread.
    """
    numbers = signal.SIGHUP, signal.SIGTERM
    handlers = {number: signal.getsignal(number) for number in numbers}
    monkeypatch.delattr(signal, "SIGPIPE")
    yield
    for number, handler in handlers.items():
        signal.signal(number, handler)


@pytest.fixture(autouse=True)
def whole_log():
    """Log every line, even if an earlier test ran a program."""
    if "absl.logging" in sys.modules:
        from absl import logging

        logging.get_absl_logger().setLevel("NOTSET")
    if "tensorflow" in sys.modules:
        import tensorflow as tf

        tf.get_logger().setLevel("WARNING")


@pytest.fixture
def tiny_config():
    """Return a BERT config of hidden size 8, vocabulary 30, without dropout."""
    from keras_bert.config import BertConfig

    return BertConfig(
        vocab_size=30,
        hidden_size=8,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=16,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        max_position_embeddings=16,
    )


@pytest.fixture(scope="session")
def spiece_file():
    """Return a small SentencePiece model with ALBERT's special tokens."""
    return _TESTS / "golden/tiny_spiece.model"


@pytest.fixture
def elmo_files(tmp_path):
    """Return a directory with the options and weights of a small ELMo."""
    from tests.golden import make_elmo_golden

    folder = tmp_path / "elmo"
    folder.mkdir()
    make_elmo_golden.write_files(folder)
    return folder


@pytest.fixture(scope="session")
def make_settings():
    """Return a function from a kind to the settings of a small tokenizer.

    Each tokenizes the words word0 to word9, byte-level BPE into two tokens, the
    others into one. WordPiece, SentencePiece and BPE have 40 pieces, byte-level
    BPE has 275.
    """
    return _make_settings


def _make_settings(kind):
    makers = {
        "wordpiece": _wordpiece_settings,
        "bpe": _bpe_settings,
        "byte_bpe": _byte_pair_settings,
        "sentencepiece": _sentencepiece_settings,
    }
    return makers[kind]()


@pytest.fixture(scope="session")
def make_settings_of():
    """Return a function from a `model_type` to tokenizer settings."""
    return _make_settings_of


def _make_settings_of(model_type):
    from keras_bert.checkpoints.family import find_family

    if model_type == "xlm-roberta":
        return _xlm_settings()
    if model_type == "deberta-v2":
        return _deberta_settings()
    if model_type == "deberta":
        return _deberta_v1_settings()
    if model_type == "big_bird":
        return _bigbird_settings()
    if model_type == "xlnet":
        return _xlnet_settings()
    if model_type == "mpnet":
        return _mpnet_settings()
    return _make_settings(find_family(model_type).tokenizer)


def _wordpiece_settings():
    from keras_bert.text import Vocabulary
    from keras_bert.text.wordpiece.settings import WordpieceSettings
    from keras_bert.text.wordpiece.vocabulary import SPECIAL_TOKENS

    words = [f"word{index}" for index in range(35)]
    return WordpieceSettings(Vocabulary([*SPECIAL_TOKENS, *words]))


def _bpe_settings():
    from keras_bert.text.bpe.character_settings import BpeSettings
    from keras_bert.text.bpe.character_vocabulary import BpeVocabulary

    merges = [("w", "o"), ("wo", "r"), ("wor", "d")]
    merges += [("word", f"{digit}</w>") for digit in range(10)]
    characters = [*"wordabcefghijklm", *(f"{digit}</w>" for digit in range(10))]
    tokens = ["<unk>", *characters, *map("".join, merges)]
    return BpeSettings(BpeVocabulary(tokens), merges)


def _mpnet_settings():
    from keras_bert.text import Vocabulary
    from keras_bert.text.wordpiece.settings import WordpieceSettings

    words = [f"word{index}" for index in range(31)]
    first = ["<s>", "<pad>", "</s>", "<unk>"]
    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokens = [*first, *specials, *words, "<mask>"]
    return WordpieceSettings(Vocabulary(tokens))


def _byte_pair_settings():
    from keras_bert.text.bpe.byte_settings import BytePairSettings
    from keras_bert.text.bpe.byte_vocabulary import BytePairVocabulary

    specials = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    tokens, merges = _bytes_and_merges()
    vocabulary = BytePairVocabulary([*specials, *tokens])
    return BytePairSettings(vocabulary, merges, add_prefix_space=True)


def _deberta_v1_settings():
    from keras_bert.text.bpe.byte_settings import BytePairSettings
    from keras_bert.text.bpe.byte_vocabulary import BytePairVocabulary
    from keras_bert.text.wordpiece.vocabulary import ROLES

    tokens, merges = _bytes_and_merges()
    tokens = ["[PAD]", "[CLS]", "[SEP]", "[UNK]", *tokens, "[MASK]"]
    vocabulary = BytePairVocabulary(tokens, roles=ROLES)
    return BytePairSettings(vocabulary, merges, add_prefix_space=True)


def _bytes_and_merges():
    from keras_bert.text.bpe.byte_vocabulary import byte_characters

    merges = [("Ġ", "w"), ("Ġw", "o"), ("Ġwo", "r"), ("Ġwor", "d")]
    merges += [("Ġword", str(digit)) for digit in range(10)]
    return [*byte_characters(), *map("".join, merges)], merges


def _sentencepiece_settings():
    specials = ["<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]"]
    return _of_pieces(specials, "spiece.model")


def _bigbird_settings():
    specials = ["<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]"]
    return _of_pieces([*specials, "<no_saic_raw_sp>"], "spiece.model")


def _xlnet_settings():
    specials = ["<unk>", "<s>", "</s>", "<cls>", "<sep>", "<pad>", "<mask>"]
    specials += ["<eod>", "<eop>"]
    return _of_pieces(specials, "spiece.model")


def _deberta_settings():
    return _of_pieces(["[PAD]", "[CLS]", "[SEP]", "[UNK]"], "spm.model")


def _xlm_settings():
    return _of_pieces(["<unk>", "<s>", "</s>"], "sentencepiece.bpe.model")


def _of_pieces(specials, name):
    from keras_bert.text.sentencepiece import model as spm
    from keras_bert.text.sentencepiece.conventions import conventions_of_file
    from keras_bert.text.sentencepiece.settings import SentencePieceSettings
    from keras_bert.text.sentencepiece.vocabulary import SentencePieceVocabulary

    conventions = conventions_of_file(name, {*specials})
    unknown = conventions.roles["unknown"]
    kinds = {unknown: spm.UNKNOWN}
    pieces = [
        *(spm.Piece(t, 0.0, kinds.get(t, spm.CONTROL)) for t in specials),
        *(spm.Piece(f"▁word{n}", -2.0, spm.NORMAL) for n in range(10)),
        *(spm.Piece(c, -9.0, spm.NORMAL) for c in "▁0123456789abcdefghijokrw"),
    ]
    data = spm.model_bytes(pieces, unk_id=specials.index(unknown))
    model = spm.SentencePieceModel(data)
    return SentencePieceSettings(
        SentencePieceVocabulary(model, conventions=conventions)
    )


@pytest.fixture(scope="session")
def make_bert():
    """Create a tiny BERT with random weights and its own vocabulary."""
    from tests import tiny

    return tiny.make_bert


@pytest.fixture(scope="session")
def random_batch():
    """Return a function from a seed to a batch of `pretraining.dataset`."""
    return _random_batch


def _random_batch(seed, batch_size=4, seq_length=10, num_predictions=3):
    """Return padded rows of ids below 30; some predictions have weight 0."""
    random = np.random.default_rng(seed)
    lengths = random.integers(4, seq_length + 1, (batch_size, 1))
    mask = np.arange(seq_length)[None, :] < lengths
    segments = (np.arange(seq_length)[None, :] >= lengths // 2) & mask
    shape = (batch_size, num_predictions)
    weights = np.arange(num_predictions)[None, :] < random.integers(
        1, num_predictions + 1, (batch_size, 1)
    )
    positions = random.integers(0, lengths, shape) * weights
    inputs = {
        "input_ids": random.integers(1, 30, mask.shape) * mask,
        "input_mask": mask,
        "segment_ids": segments,
        "masked_lm_positions": positions,
    }
    labels = {
        "mlm_logits": random.integers(1, 30, shape) * weights,
        "nsp_logits": random.integers(0, 2, batch_size),
    }
    return (
        {name: value.astype("int32") for name, value in inputs.items()},
        {name: value.astype("int32") for name, value in labels.items()},
        {
            "mlm_logits": weights.astype("float32"),
            "nsp_logits": np.ones(batch_size, "float32"),
        },
    )


class _AnswersChecker(doctest.OutputChecker):
    """Accept other numbers and strings than shown, in the same structure."""

    def check_output(self, want, got, optionflags):
        return _form(want) == _form(got)


def _form(printed):
    """Return the printed value with each leaf replaced by its type."""
    try:
        return _form_of(ast.literal_eval(printed))
    except (SyntaxError, ValueError):
        text = re.sub(r"-?\d+(\.\d*)?", "0", printed)
        return re.sub(r"0(,\s+0)+", "0", text)


def _form_of(value):
    if isinstance(value, dict):
        return {name: _form_of(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value), [_form_of(item) for item in value[:1]]
    return value if isinstance(value, bool) else type(value)


@pytest.fixture
def run_example():
    """Run a doctest; with `any_answer` only the structure is compared.

    The weights are random, those of the docstring trained: numbers and strings
    can differ, but lists and keys must be the same.
    """

    def run(example, any_answer=False):
        report = []
        runner = doctest.DocTestRunner(
            _AnswersChecker() if any_answer else None,
            optionflags=doctest.ELLIPSIS,
        )
        result = runner.run(example, out=report.append)
        assert result.attempted > 0
        assert result.failed == 0, "".join(report)

    return run


@pytest.fixture
def run_layer_test():
    """Return a function that runs the checks for every layer.

    Args:
        layer_class: class of the layer.
        arguments: dict of its arguments, or a function that returns the dict.
        inputs: dict of arrays by argument of `call`. All dimensions can vary,
            except the last one of float arrays.
        num_weights: int, number of weights of the layer.
        num_trained: int, number of weights that one step changes; all by
            default.
        mixed_dtype: str, dtype of the output under mixed_bfloat16.
    """
    return _run_layer_test


def _run_layer_test(
    layer_class,
    arguments,
    inputs,
    num_weights,
    num_trained=None,
    mixed_dtype="bfloat16",
):
    def make_layer(**more):
        given = arguments() if callable(arguments) else arguments
        return layer_class(**given, **more)

    if num_trained is None:
        num_trained = num_weights
    _check_weight_count(make_layer(), inputs, num_weights)
    _check_config(make_layer(name="named"), inputs)
    _check_symbolic(make_layer(), inputs, "float32")
    _check_symbolic(make_layer(dtype="mixed_bfloat16"), inputs, mixed_dtype)
    _check_fit(make_layer(), inputs, num_trained)
    _check_fit(make_layer(dtype="mixed_bfloat16"), inputs, num_trained)


def _check_weight_count(layer, inputs, num_weights):
    layer(**inputs)
    assert len(layer.weights) == num_weights
    assert all(weight.dtype == "float32" for weight in layer.weights)


def _check_config(layer, inputs):
    import keras

    expected = _to_numpy(layer(**inputs))
    config = layer.get_config()
    json.dumps(config)
    for name in inspect.signature(type(layer).__init__).parameters:
        assert name in {*config, "self", "kwargs"}, f"{name} not in the config"
    serialized = keras.saving.serialize_keras_object(layer)
    for revived in (
        type(layer).from_config(config),
        keras.saving.deserialize_keras_object(serialized),
    ):
        assert type(revived) is type(layer)
        assert revived.name == layer.name
        revived(**inputs)
        assert revived.get_config() == layer.get_config()
        revived.set_weights(layer.get_weights())
        np.testing.assert_array_equal(_to_numpy(revived(**inputs)), expected)


def _check_symbolic(layer, inputs, dtype):
    """Check symbolic shapes and dtypes against eager ones."""
    import keras

    eager = layer(**inputs)
    values = _to_numpy(eager)
    assert keras.backend.standardize_dtype(eager.dtype) == dtype
    assert np.isfinite(values).all()
    static = {
        name: keras.Input(batch_shape=array.shape, dtype=str(array.dtype))
        for name, array in inputs.items()
    }
    output = layer(**static)
    assert (output.shape, output.dtype) == (tuple(eager.shape), dtype)

    dynamic = _dynamic_inputs(inputs)
    output = layer(**dynamic)
    assert output.dtype == dtype
    assert len(output.shape) == len(eager.shape)
    assert output.shape[0] is None
    for symbolic, size in zip(output.shape, eager.shape, strict=True):
        assert symbolic in (None, size)
    again = keras.Model(dynamic, output)(inputs)
    np.testing.assert_array_equal(_to_numpy(again), values)


def _check_fit(layer, inputs, num_trained):
    import keras

    dynamic = _dynamic_inputs(inputs)
    model = keras.Model(dynamic, layer(**dynamic))
    model.compile(
        keras.optimizers.SGD(1.0),
        keras.losses.MeanSquaredError(),
        run_eagerly=True,  # Tracing takes much longer than a step.
    )
    before = layer.get_weights()
    shape = tuple(model(inputs).shape)
    targets = np.random.default_rng(0).normal(size=shape).astype("float32")
    with warnings.catch_warnings():
        if num_trained < len(before):
            warnings.filterwarnings("ignore", "Gradients do not exist")
        history = model.fit(inputs, targets, len(targets), verbose=0)
    assert np.isfinite(history.history["loss"]).all()
    changed = [
        not np.array_equal(old, new)
        for old, new in zip(before, layer.get_weights(), strict=True)
    ]
    assert sum(changed) == num_trained
    _check_weights_file(model)


def _check_weights_file(model):
    """Check that the file has every weight, also of sublayers."""
    weights = model.get_weights()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.weights.h5")
        model.save_weights(path)
        model.set_weights([0.0 * weight for weight in weights])
        model.load_weights(path)
    for loaded, weight in zip(model.get_weights(), weights, strict=True):
        np.testing.assert_array_equal(loaded, weight)


def _dynamic_inputs(inputs):
    import keras

    def shape(array):
        is_float = array.dtype.kind == "f"
        return (None,) * (array.ndim - is_float) + array.shape[-1:] * is_float

    return {
        name: keras.Input(
            batch_shape=shape(array), dtype=str(array.dtype), name=name
        )
        for name, array in inputs.items()
    }


def _to_numpy(tensor):
    from keras import ops

    return ops.convert_to_numpy(ops.cast(tensor, "float32"))


@pytest.fixture
def prepare(tmp_path):
    """Prepare a dataset; return the directory of datasets.

    Args:
        name: str, "glue/mrpc" or "tiny".
        features: dict.
        splits: dict of lists of examples.
    """

    import tensorflow_datasets as tfds

    from keras_bert.files.tfds_builder import open_builder

    def prepare(name, features, splits):
        name, _, config = name.partition("/")
        directory = tmp_path / name / config / "2.0.0"
        directory.mkdir(parents=True)
        identity = tfds.core.DatasetIdentity(
            name=name,
            config_name=config or None,
            version=tfds.core.Version("2.0.0"),
            data_dir=str(directory),
            module_name="",
        )
        info = tfds.core.DatasetInfo(
            builder=identity, features=tfds.features.FeaturesDict(features)
        )
        writer = tfds.core.SequentialWriter(info, max_examples_per_shard=2)
        writer.initialize_splits([*splits])
        writer.add_examples(splits)
        writer.close_all()
        return str(tmp_path)

    yield prepare
    open_builder.cache_clear()
