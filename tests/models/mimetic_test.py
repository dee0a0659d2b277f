import keras
import numpy as np
import pytest

from keras_bert.models.families.albert.model import FAMILY as ALBERT
from keras_bert.models.families.bert.model import bert_backbone
from keras_bert.models.mimetic import initialize_mimetic
from tests import tiny


def test_each_head_attends_to_its_offset():
    keras.utils.set_random_seed(0)
    config = tiny.config("bert", H=256, N=4, P=64)
    backbone = bert_backbone(config)
    initialize_mimetic(backbone)
    positions = keras.ops.convert_to_numpy(
        backbone.embeddings.position_embeddings
    )
    for block in backbone.blocks:
        outputs = block.self_attention.query_key_value(positions[None])
        query, key, _ = map(
            keras.ops.convert_to_numpy, block.self_attention.heads(outputs)
        )
        scores = (query @ key.swapaxes(2, 3))[0]
        means = [
            [np.diagonal(head, offset).mean() for offset in range(-8, 9)]
            for head in scores
        ]
        assert [np.argmax(x) - 8 for x in means] == [-1, 1, -2, 2]


def test_models_without_their_own_positions_are_refused():
    backbone = ALBERT.backbone(tiny.config("albert"))
    with pytest.raises(ValueError, match="learned position embeddings"):
        initialize_mimetic(backbone)
