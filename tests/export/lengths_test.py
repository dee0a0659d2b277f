"""Exports of all families at lengths that their code treats differently."""

import functools

import numpy as np
import pytest
import tensorflow as tf

from keras_bert import tasks
from keras_bert.export.length_comparison import check_lengths
from keras_bert.export.length_comparison import length_samples
from keras_bert.export.tflite.comparison import signature_runner
from keras_bert.layers.attention import block_sparse
from tests.export.conftest import FAMILIES
from tests.export.conftest import TASKS
from tests.export.conftest import run_openvino

# 512 tokens are the longest full attention; packed rows have 8, 16, 24, 32, 48
# and so on positions. Then one token beyond each.
_LENGTHS = (1, 2, 8, 9, 24, 25, 127, 128, 129, 511, 512, 513)
# Borders of blocks, of relative positions and of random blocks.
_BORDERS = {
    "big_bird": (27, 28, 29, 31, 32, 33, 1023, 1024, 1025),
    "deberta-v2": (3, 4, 5, 6, 7),
    "longformer": (514, 515, 516, 517, 524, 525, 526, 527),
    "modernbert": (524, 525, 526, 527),
}


def _saved_model(task, directory):
    task.export_saved_model(directory)
    run = tf.saved_model.load(str(directory / "1")).signatures["ids"]
    return lambda ids: {k: x.numpy() for k, x in run(**ids).items()}


def _tflite(task, directory, kind):
    path = directory / "model.tflite"
    # Random weights lose much in int8.
    task.export_tflite(path, kind, files=["ids"], force=kind == "int8")
    data = (directory / "model_ids.tflite").read_bytes()
    run = signature_runner(data, has_text=False)
    return lambda ids: run(**ids)


def _onnx(task, directory, **options):
    import onnxruntime

    task.export_onnx(directory, names="keras_bert", **options)
    session = onnxruntime.InferenceSession(directory / "model.onnx")
    names = [output.name for output in session.get_outputs()]
    known = {tensor.name for tensor in session.get_inputs()}

    def run(ids):
        ids = {name: x for name, x in ids.items() if name in known}
        return dict(zip(names, session.run(None, ids), strict=True))

    return run


# Functions that export a task and return a function that runs the export.
_EXPORTS = {
    "saved_model": _saved_model,
    "tflite": lambda *to: _tflite(*to, "float32"),
    "tflite_int8": lambda *to: _tflite(*to, "int8"),
    "onnx": _onnx,
    "onnx_packed": lambda *to: _onnx(*to, packed=True),
    "onnx_int8": lambda *to: _onnx(*to, precision="int8"),
    "openvino": run_openvino,
    "openvino_packed": lambda *to: run_openvino(*to, packed=True),
}
_ROUNDED = {"tflite_int8", "onnx_int8"}
_TASKS = (
    *("answerer", "chooser", "embedder", "extractor", "fill_mask", "late"),
    *("late_queries", "sparse", "tagger"),
)
# Convolutions were not tested on TensorFlow Serving.
_REFUSED = {("deberta-v2 convolution", "extractor", "saved_model")}
_NORMAL = {("bert", "embedder", "onnx"), ("big_bird", "extractor", "onnx")}


def _cases():
    pairs = [(name, "extractor") for name in FAMILIES]
    # Tasks with global tokens, and with outputs of other shapes.
    for name in ("bert", "big_bird", "longformer"):
        pairs += [(name, task) for task in _TASKS if task != "extractor"]
    for pair in pairs:
        for name in _EXPORTS:
            case, marks = (*pair, name), pytest.mark.exhaustive
            if case in _REFUSED:
                continue
            if name.startswith("openvino"):
                marks = pytest.mark.loaders
            if case in _NORMAL:
                marks = ()
            if pair[1] != "fill_mask" or name in ("saved_model", "tflite"):
                yield pytest.param(*case, id="-".join(case), marks=marks)


def _ids(task, length):
    """Return two rows; the second has padding, except for a BigBird.

    Of one token, it has none.
    """
    rank = len(task.model.input["input_ids"].shape)
    shape = 2, *[2] * (rank - 2), length
    size = len(task.preprocess.tokenizer.vocabulary)
    ids = np.random.default_rng(length).integers(5, size, shape)
    mask = np.ones(shape, int)
    # The blocks of a BigBird depend on the longest row.
    if task.pretrained.config.model_type != "big_bird":
        mask[1, ..., length // 2 :] = 0
    values = dict.fromkeys(task.input_names, np.zeros(shape, int))
    values |= {"input_ids": ids, "input_mask": mask}
    if "segment_ids" in values:
        values["segment_ids"] = mask * (np.arange(length) > length // 2)
    return {name: x.astype("int32") for name, x in values.items()}


def _check(found, expected, mask, is_exact):
    # With published names, an embedder also returns its states.
    names = found.keys() - ({"sequence_output"} - expected.keys())
    assert names
    for name in names:
        values, wanted = found[name], expected[name].numpy()
        if name in ("piece_ids", "weights"):  # TFLite has a fixed number.
            width = min(values.shape[1], wanted.shape[1])
            values, wanted = values[:, :width], wanted[:, :width]
        assert values.shape == wanted.shape, name
        if wanted.shape[:2] == mask.shape:
            values, wanted = values[mask], wanted[mask]
        if wanted.dtype.kind != "f" or not wanted.size:
            continue
        if is_exact:
            np.testing.assert_allclose(values, wanted, atol=1e-4)
        elif values.size > 16:
            sides = values.ravel(), wanted.ravel()
            assert np.corrcoef(*sides)[0, 1] > 0.95, name


@pytest.fixture(scope="module")
def answers(make_family):
    """Return a function from names to a task, its inputs and its outputs.

    All exports of a task are compared with the same outputs.
    """

    @functools.lru_cache(maxsize=1)
    def answers(family, task):
        task = TASKS[task](make_family(family))
        longest = task.preprocess.seq_length
        lengths = {*_LENGTHS, *_BORDERS.get(family, ()), longest - 1, longest}
        inputs = [_ids(task, length) for length in sorted(lengths)]
        inputs = [x for x in inputs if x["input_ids"].shape[-1] <= longest]
        outputs = [
            task.predict_ids({k: tf.constant(x) for k, x in ids.items()})
            for ids in inputs
        ]
        return task, inputs, outputs

    return answers


@pytest.mark.filterwarnings("ignore:.*softmax over axis")
@pytest.mark.parametrize(("family", "task", "name"), [*_cases()])
def test_an_export_answers_at_all_lengths(
    answers, tmp_path, monkeypatch, family, task, name
):
    # Random weights lose much in int8.
    monkeypatch.setattr(
        "keras_bert.export.onnx.onnx_int8.check_is_close", lambda _: None
    )
    task, inputs, outputs = answers(family, task)
    run = _EXPORTS[name](task, tmp_path)
    wrong = {}
    for ids, expected in zip(inputs, outputs, strict=True):
        mask = ids["input_mask"].astype(bool)
        try:
            _check(run(ids), expected, mask, name not in _ROUNDED)
        except Exception as error:
            wrong[mask.shape] = f"{type(error).__name__}: {error}"
    assert not wrong


@pytest.mark.parametrize(
    "family, longest",
    [("big_bird", 513), ("longformer", 525), ("static-embeddings", 11)],
)
def test_the_compared_lengths_are_short_and_above_all_borders(
    make_family, family, longest
):
    samples = length_samples(TASKS["embedder"](make_family(family)))
    lengths = [sample["input_ids"].shape[1] for sample in samples]
    assert lengths == [2, longest]


@pytest.mark.smoke("saved_model")
@pytest.mark.parametrize("format", ["onnx", "saved_model"])
def test_an_export_that_differs_at_a_length_is_not_written(
    make_family, tmp_path, monkeypatch, format
):
    task = tasks.FeatureExtractor(make_family("big_bird"))
    attend = block_sparse.attend_to_some_blocks

    def wrong(query, *rest):
        # Only in graphs, where the length is unknown.
        attended = attend(query, *rest)
        return attended if query.shape[2] else attended[:, :, ::-1]

    monkeypatch.setattr(
        "keras_bert.layers.attention.block_sparse_attention.attend_to_some_blocks",
        wrong,
    )
    write = getattr(task, f"export_{format}")
    with pytest.raises(ValueError, match=r"difference of .*\(1, 513\)"):
        write(tmp_path / "out")
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_an_export_that_fails_at_a_length_is_refused():
    def run(samples):
        raise RuntimeError("no such shape")

    samples = [{"input_ids": np.zeros((1, 2), "int32")}]
    with pytest.raises(ValueError, match="(1, 2).*no such shape"):
        check_lengths(samples, run, dict)
