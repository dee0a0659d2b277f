import numpy as np
import pytest
import tensorflow as tf
import tensorflow_text as tf_text
from ai_edge_litert import interpreter as litert

from keras_bert.text import BertPreprocessor

_NAMES = ["input_ids", "input_mask", "segment_ids"]
_TEXTS = [
    "the cat",
    "",
    "Unaffable cats, [MASK] 中文.",
    "the cats the cats the cats the cats the cats",
    "cafe",
    "[[MASK] mask] [PAD] [MASK",
    # Too many characters, but fewer bytes than the limit of the op.
    "the " + "ca\u0301ts" + "s" * 201 + " cats",
]
_PAIRS = ["cats.", "", "the cat", "cat " * 20, "", "[SEP]", "中" * 201]
_TEXT_OPS = {"FastBertNormalize", "FastWordpieceTokenizeWithOffsets"}


@pytest.fixture(scope="module")
def preprocess(tokenizer):
    return BertPreprocessor(tokenizer, seq_length=12)


@pytest.fixture(scope="module")
def preprocess_masks(tokenizer):
    return BertPreprocessor(tokenizer.with_special_tokens(), seq_length=12)


@pytest.fixture(params=["preprocess", "preprocess_masks"])
def either(request):
    return request.getfixturevalue(request.param)


def _plain(packed):
    assert list(packed) == _NAMES
    for tensor in packed.values():
        assert tensor.dtype == tf.int32
    return {name: tensor.numpy().tolist() for name, tensor in packed.items()}


def test_a_text_stands_between_cls_and_sep(preprocess):
    assert _plain(preprocess(["the cats"])) == {
        "input_ids": [[2, 5, 6, 7, 3, 0, 0, 0, 0, 0, 0, 0]],
        "input_mask": [[1] * 5 + [0] * 7],
        "segment_ids": [[0] * 12],
    }


@pytest.mark.parametrize("columns", [[_TEXTS], [_TEXTS, _PAIRS], [[]]])
@pytest.mark.parametrize("paying_calls", [0, 1000])
def test_rows_are_without_padding_and_say_what_is_cut(
    either, columns, paying_calls, monkeypatch
):
    module = "keras_bert.text.preprocessor"
    monkeypatch.setattr(f"{module}._EAGER_CALLS", paying_calls)
    inputs, lengths, are_cut = either.encode_rows(*columns)
    packed = either(*columns)
    mask = packed["input_mask"].numpy() == 1
    assert lengths.numpy().tolist() == mask.sum(axis=1).tolist()
    for name, values in packed.items():
        assert inputs[name].dtype == tf.int32
        assert inputs[name].numpy().tolist() == values.numpy()[mask].tolist()
    rows = zip(*(either.tokenizer(column).to_list() for column in columns))
    num_tokens = [sum(map(len, row)) + 1 + len(columns) for row in rows]
    expected = [number > 12 for number in num_tokens]
    assert are_cut.numpy().tolist() == expected
    assert {*expected} in ({False, True}, set())


def test_a_pair_is_two_segments(preprocess):
    assert _plain(preprocess(["the cats"], ["cat."])) == {
        "input_ids": [[2, 5, 6, 7, 3, 6, 15, 3, 0, 0, 0, 0]],
        "input_mask": [[1] * 8 + [0] * 4],
        "segment_ids": [[0] * 5 + [1] * 3 + [0] * 4],
    }


@pytest.mark.parametrize("seq_length", [-1, 0, 2])
def test_a_sequence_without_room_is_an_error(tokenizer, seq_length):
    with pytest.raises(ValueError, match=f"seq_length={seq_length}\\."):
        BertPreprocessor(tokenizer, seq_length=seq_length)


def _trace(preprocess, num_inputs):
    """Return the concrete function of one or two inputs."""
    specs = [
        tf.TensorSpec([None], tf.string, name)
        for name in ("text", "text_pair")[:num_inputs]
    ]
    return tf.function(
        lambda *texts: preprocess(*texts), input_signature=specs
    ).get_concrete_function()


def _op_types(function):
    definition = function.graph.as_graph_def()
    nodes = [*definition.node]
    for inner in definition.library.function:
        nodes += inner.node_def
    return {node.op for node in nodes}


@pytest.mark.parametrize("num_inputs", [1, 2])
def test_only_two_ops_of_the_graph_are_not_core(either, num_inputs):
    ops = _op_types(_trace(either, num_inputs))
    assert {op for op in ops if not hasattr(tf.raw_ops, op)} == _TEXT_OPS
    for word in ("Table", "PyFunc", "Regex", "StringLower", "RaggedGather"):
        assert not [op for op in ops if word in op]


@pytest.mark.parametrize("num_inputs", [1, 2])
def test_tflite_gives_the_same_arrays(either, num_inputs):
    converter = tf.lite.TFLiteConverter.from_concrete_functions(
        [_trace(either, num_inputs)], tf.Module()
    )
    converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS]
    converter.allow_custom_ops = True
    interpreter = litert.InterpreterWithCustomOps(
        model_content=converter.convert(),
        custom_op_registerers=tf_text.tflite_registrar.SELECT_TFTEXT_OPS,
    )
    run = interpreter.get_signature_runner()
    inputs = {"text": np.array(_TEXTS), "text_pair": np.array(_PAIRS)}
    names = list(inputs)[:num_inputs]
    for rows in (slice(None), slice(1), slice(1, 3)):
        arguments = {name: inputs[name][rows] for name in names}
        _check(either, run(**arguments), *arguments.values())


def test_a_saved_model_gives_the_same_arrays(either, tmp_path):
    module = tf.Module()
    module.serve = _trace(either, 2)
    tf.saved_model.save(module, str(tmp_path), signatures=module.serve)
    loaded = tf.saved_model.load(str(tmp_path)).signatures["serving_default"]
    texts, pairs = tf.constant(_TEXTS), tf.constant(_PAIRS)
    _check(either, loaded(text=texts, text_pair=pairs), texts, pairs)


def _check(preprocess, outputs, *texts):
    expected = preprocess(*texts)
    assert sorted(outputs) == _NAMES
    for name, array in outputs.items():
        np.testing.assert_array_equal(array, expected[name])
