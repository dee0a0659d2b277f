import numpy as np
import pytest

from keras_bert import models
from keras_bert.models.families.deberta_v2.model import deberta_v2_backbone
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


def test_a_convolution_refuses_rows_of_several_texts():
    config = tiny.config("deberta-v2", conv_kernel_size=3)
    with pytest.raises(ValueError, match="Packed sequences are not"):
        deberta_v2_backbone(config).packed()
