import numpy as np

from keras_bert import models
from tests import tiny


def test_all_blocks_read_one_table(random_batch):
    model = tiny.widened(models.encoder(tiny.config("deberta-v2")))
    inputs = tiny.inputs_of(model, random_batch(0)[0])
    before = np.asarray(model(inputs)["sequence_output"])
    (table,) = (w for w in model.weights if "relative_embeddings" in w.path)
    assert table.shape == (12, 8)
    table.assign(table[::-1])
    after = np.asarray(model(inputs)["sequence_output"])
    assert np.abs(after - before).max() > 1e-2
