"""What tests share: a clean Keras for each, and one test for every layer."""

import ast
import doctest
import inspect
import json
import os
import pathlib
import re
import signal
import sys
import warnings

import numpy as np
import pytest

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

# A shell starts what is to run in the background with Ctrl-C ignored, and
# the programs that tests start and interrupt would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def clean_keras():
    """Leaves no dtype policy and no seed behind for the next test."""
    if "keras" in sys.modules:
        import keras

        keras.config.set_dtype_policy("float32")
        keras.utils.set_random_seed(1810)


@pytest.fixture(autouse=True)
def whole_log():
    """Lets every line through, whatever flags an earlier test has parsed."""
    if "absl.logging" in sys.modules:
        from absl import logging

        logging.get_absl_logger().setLevel("NOTSET")


@pytest.fixture
def tiny_config():
    """A BERT of hidden size 8 and vocabulary 30, without dropout."""
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
    """A small SentencePiece model with ALBERT's special tokens."""
    return pathlib.Path(__file__).parent / "golden/tiny_spiece.model"


@pytest.fixture(scope="session")
def make_bert():
    """Makes a tiny BERT with random weights and a vocabulary of its own."""
    from keras_bert.checkpoints import PretrainedModel
    from keras_bert.config import BertConfig
    from keras_bert.text import BertTokenizer
    from keras_bert.text import Vocabulary
    from keras_bert.text.vocabulary import SPECIAL_TOKENS

    words = "the a dog cat bird eats sees meat fish seeds and . ##s".split()

    def make(**changes):
        values = {
            "vocab_size": len(SPECIAL_TOKENS) + len(words),
            "hidden_size": 16,
            "num_hidden_layers": 2,
            "num_attention_heads": 2,
            "intermediate_size": 32,
            "hidden_dropout_prob": 0.0,
            "attention_probs_dropout_prob": 0.0,
            "max_position_embeddings": 12,
            "initializer_range": 0.5,
        }
        return PretrainedModel.from_config(
            BertConfig(**{**values, **changes}),
            BertTokenizer(Vocabulary([*SPECIAL_TOKENS, *words])),
        )

    return make


@pytest.fixture
def random_batch():
    """A function from a seed to a batch as of `pretraining_dataset`."""
    return _random_batch


def _random_batch(seed, batch_size=4, seq_length=10, num_predictions=3):
    """Padded rows of ids below 30, some predictions of weight 0."""
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
    """Takes other numbers and words than those shown, in the same form."""

    def check_output(self, want, got, optionflags):
        return _form(want) == _form(got)


def _form(printed):
    """What is printed, with each value replaced by its type."""
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
    """Runs a doctest; with `any_answer` a model may say what it will.

    Its weights are random where the docstring's are trained: numbers and
    strings may be others, in the same lists and under the same keys.
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
    """The checks that every layer must pass, as a function.

    Args:
        layer_class: class of the layer.
        arguments: dict of its arguments, or a function that makes one.
        inputs: dict of arrays by the name of the argument of `call`. All
            dimensions may vary but the last of float arrays.
        num_weights: int, weights of the layer.
        num_trained: int, how many of them one step changes; all by default.
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
    """Symbolic shapes and dtypes are the eager ones; values are finite."""
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
    shapes = {f"{name}_shape": array.shape for name, array in inputs.items()}
    assert layer.compute_output_shape(**shapes) == tuple(eager.shape)

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
        jit_compile=False,
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
