"""The TFLite file for MediaPipe: its metadata, answers and rejected tasks."""

import zipfile

import numpy as np
import pytest
from ai_edge_litert import schema_py_generated as schema
from flatbuffers.table import Table

from keras_bert import tasks
from keras_bert.checkpoints import PretrainedModel
from keras_bert.export import export_tflite
from keras_bert.export.tflite.comparison import signature_runner
from keras_bert.export.tflite.mediapipe import mediapipe_samples
from keras_bert.text import BertTokenizer
from keras_bert.text import Vocabulary
from tests import tiny
from tests.export.conftest import TASKS

_TEXTS = [b"a dog eats meat", b"", b"zebra", b"the cat sees the bird . " * 9]
_MPNET = {"cls": "<s>", "pad": "<pad>", "sep": "</s>", "unknown": "[UNK]"}


def _mpnet(bert):
    """Return a classifier without segments and with other special tokens."""
    words = bert.tokenizer.vocabulary.tokens[5:]
    vocabulary = Vocabulary([*_MPNET.values(), "<mask>", *words])
    vocabulary.roles.update(_MPNET)
    model = PretrainedModel.from_config(
        tiny.config("mpnet", V=len(vocabulary), L=1, initializer_range=0.5),
        BertTokenizer(vocabulary),
    )
    return tasks.TextClassifier(model, labels=["no", "yes"])


def _with_prompt(bert):
    prompts = {"q": "the dog . "}
    return tasks.TextEmbedder(bert, prompts=prompts, default_prompt_name="q")


_TASKS = {**TASKS, "mpnet": _mpnet, "with_prompt": _with_prompt}


def _table(parent, field, number=None):
    """Return the table in a field, or in a vector in a field."""
    start = parent.Offset(4 + 2 * field)
    start = (
        parent.Pos + start
        if number is None
        else parent.Vector(start) + 4 * number
    )
    return Table(parent.Bytes, parent.Indirect(start))


def _name(table):
    return table.String(table.Pos + table.Offset(4)).decode()


def _metadata(data):
    """Return the root table of MediaPipe's metadata in a file."""
    model = schema.ModelT.InitFromPackedBuf(data)
    numbers = {each.name: each.buffer for each in model.metadata}
    metadata = model.buffers[numbers[b"TFLITE_METADATA"]].data
    assert metadata[4:8].tobytes() == b"M001"
    return model.subgraphs[0], Table(metadata, int(metadata[0]))


@pytest.mark.smoke("mpnet")
@pytest.mark.parametrize(
    "name", ["classifier", "embedder", "mpnet", "several", "with_prompt"]
)
def test_the_file_has_metadata_and_answers_as_python(name, bert, tmp_path):
    task = _TASKS[name](bert)
    path = tmp_path / "m.tflite"
    export_tflite(task, path, "float32", files=["mediapipe"])
    path = tmp_path / "m_mediapipe.tflite"
    output = "embedding" if hasattr(task, "embed") else "probabilities"

    # The fields are numbered as in MediaPipe's metadata_schema.fbs.
    graph, model = _metadata(path.read_bytes())
    subgraph = _table(model, 3, 0)
    ours = [graph.tensors[n].name.decode() for n in graph.inputs]
    theirs = {"ids": "input_ids", "mask": "input_mask"}
    for number, full_name in enumerate(ours):
        name = _name(_table(subgraph, 2, number))
        assert theirs.get(name, name) in full_name
    found = _table(subgraph, 3, 0)
    assert _name(found) == output
    if output == "probabilities":
        assert _name(_table(found, 6, 0)) == "labels.txt"
    options = _table(_table(subgraph, 5, 0), 1)
    assert _name(_table(options, 0, 0)) == "vocab.txt"
    with zipfile.ZipFile(path) as archive:
        kinds = {each.compress_type for each in archive.infolist()}
        assert kinds == {zipfile.ZIP_STORED}
        tokens = archive.read("vocab.txt").decode().splitlines()
    assert tokens == [*task.preprocess.tokenizer.vocabulary.tokens]

    run = signature_runner(path.read_bytes(), has_text=False)
    samples = mediapipe_samples(task, [np.array(_TEXTS, object)])
    found = [run(**sample)[output][0] for sample in samples]
    expected = task.predict_texts(np.array(_TEXTS, object))[output]
    np.testing.assert_allclose(found, expected, atol=1e-4)
    assert np.ptp(expected, axis=0).max() > 1e-2
