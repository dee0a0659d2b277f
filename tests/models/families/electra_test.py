from keras_bert.checkpoints.weight_table import weight_shapes
from keras_bert.models.families.electra.model import electra_backbone
from keras_bert.models.families.electra.model import electra_heads
from keras_bert.models.heads import add_heads
from tests import tiny


def test_a_generator_shares_the_tables_and_their_norm_only():
    config = tiny.config("electra", E=8, H=4, N=1)
    first = electra_backbone(tiny.config("electra", E=8))
    second = electra_backbone(config, first.embeddings.tables)
    heads = electra_heads(config, second.embeddings)
    parts = {"masked_lm_head": heads["masked_lm_head"]}
    model = add_heads(second, parts, "generator")
    ours, others = (
        {w.path: w for w in x.weights} for x in (model, first.encoder("first"))
    )
    shared = {path for path in ours if ours[path] is others.get(path)}
    assert shared == {
        *(f"embeddings/tables/{x}_embeddings" for x in ("word", "position")),
        "embeddings/tables/segment_embeddings",
        "embeddings/tables/layer_norm/gamma",
        "embeddings/tables/layer_norm/beta",
    }
    # It is saved like any other generator.
    shapes = {path: tuple(weight.shape) for path, weight in ours.items()}
    assert shapes.items() <= weight_shapes(config).items()
    assert "embeddings/projection/kernel" in ours
