"""Models have the published numbers of parameters."""

import pathlib

import keras
import numpy as np
import pytest

from keras_bert import models
from keras_bert.checkpoints.family import read_config
from keras_bert.checkpoints.weight_table import weight_shapes
from keras_bert.config import BertConfig
from keras_bert.models.families.deberta_v2.config import DebertaV2Config
from keras_bert.models.family import family_of

_CONFIGS = pathlib.Path(__file__).parents[2] / "configs"
_ENCODER = "encoder"
_ALL = "pretrainer"
_MASKED_LM, _REPLACED = "masked_lm_head", "replaced_token_head"


def _count(config, head):
    """Count the weights of a model without creating them."""
    family = family_of(config.model_type)
    with keras.StatelessScope(initialize_variables=False):
        if head in (_ENCODER, _ALL):
            model = getattr(models, head)(config)
        elif head in family.task_heads:
            kind = family.task_heads[head]
            reads, layer = kind.reads_of(config), kind.layer(config, 1, head)
            backbone = family.backbone(config)
            model = models.add_task_head(backbone, layer, reads, "model")
        else:
            backbone = family.backbone(config)
            heads = family.heads(config, backbone.embeddings)
            model = models.add_heads(backbone, {head: heads[head]}, "model")
    keras.utils.clear_session()
    return model.count_params()


def test_spanbert_has_the_weights_of_a_cased_bert():
    config = BertConfig(vocab_size=28_996, hidden_act="gelu_erf")
    assert _count(config, _ENCODER) == 108_310_272
    assert _count(config, _MASKED_LM) == 108_340_804


@pytest.mark.parametrize(
    "depth, counts",
    [
        (2, (4_385_920, 9_591_040, 22_458_880, 38_603_520)),
        (4, (4_782_464, 11_170_560, 28_763_648, 52_779_264)),
        (6, (5_179_008, 12_750_080, 35_068_416, 66_955_008)),
        (8, (5_575_552, 14_329_600, 41_373_184, 81_130_752)),
        (10, (5_972_096, 15_909_120, 47_677_952, 95_306_496)),
        (12, (6_368_640, 17_488_640, 53_982_720, 109_482_240)),
    ],
)
def test_bert_miniatures_have_their_published_counts(depth, counts):
    for hidden, count in zip((128, 256, 512, 768), counts, strict=True):
        config = BertConfig(
            vocab_size=30_522,
            hidden_size=hidden,
            num_hidden_layers=depth,
            num_attention_heads=hidden // 64,
            intermediate_size=4 * hidden,
        )
        sizes = [
            np.prod(shape, dtype=int)
            for path, shape in weight_shapes(config).items()
            if "head" not in path
        ]
        assert sum(sizes) == count


@pytest.mark.smoke(
    *(
        "bert_base",
        "albert_base-",
        "deberta",
        "v3_xsmall",
        "distil",
        "ernie_1.0_base_zh-bert_e",
        "small-",
    ),
    *("gpt1", "ettin_17m", "longformer", "mpnet", "roberta_base"),
)
@pytest.mark.parametrize(
    "size, head, count",
    [
        ("bert_base", _ENCODER, 109_482_240),
        ("bert_base", _ALL, 110_106_428),
        ("bert_large", _ENCODER, 335_141_888),
        ("bert_large", _ALL, 336_226_108),
        ("albert_base", _ENCODER, 11_683_584),
        ("albert_large", _ENCODER, 17_683_968),
        ("albert_xlarge", _ENCODER, 58_724_864),
        ("albert_xxlarge", _ENCODER, 222_595_584),
        ("albert_base_v1", _ENCODER, 11_683_584),
        ("albert_large_v1", _ENCODER, 17_683_968),
        ("albert_xlarge_v1", _ENCODER, 58_724_864),
        ("albert_xxlarge_v1", _ENCODER, 222_595_584),
        ("albert_base", _MASKED_LM, 11_221_680),
        ("albert_base", _ALL, 11_813_810),
        ("albert_xxlarge", _ALL, 223_158_450),
        ("bigbird_base", _ENCODER, 127_468_800),
        # 128,111,286, and 1,538 of the NSP head.
        ("bigbird_base", _ALL, 128_112_824),
        ("deberta_base", _ENCODER, 138_601_728),
        ("deberta_base", _ALL, 139_244_121),
        ("deberta_v3_xsmall", _ENCODER, 70_682_112),
        ("deberta_v3_small", _ENCODER, 141_304_320),
        ("deberta_v3_base", _ENCODER, 183_831_552),
        ("deberta_v3_base", _MASKED_LM, 184_551_780),
        ("deberta_v3_large", _ENCODER, 434_012_160),
        ("electra_small", _ENCODER, 13_483_008),
        ("electra_small", _REPLACED, 13_549_057),
        ("electra_small", _MASKED_LM, 13_546_682),
        ("electra_small_generator", _ENCODER, 4_580_928),
        ("electra_small_generator", _MASKED_LM, 4_620_026),
        ("electra_base", _ENCODER, 108_891_648),
        ("electra_base", _REPLACED, 109_483_009),
        ("electra_large", _ENCODER, 334_092_288),
        ("electra_large", _REPLACED, 335_142_913),
        ("ernie_1.0_base_zh", _ENCODER, 99_866_112),
        ("ernie_1.0_base_zh", _ALL, 100_477_778),
        ("ernie_2.0_base_en", _ENCODER, 109_483_776),
        ("ettin_17m", _ENCODER, 16_797_440),
        ("ettin_17m", _ALL, 16_913_600),
        ("ettin_32m", _ENCODER, 31_883_136),
        ("ettin_32m", _ALL, 32_081_344),
        ("gpt1", _ENCODER, 116_534_784),
        ("gpt1", _ALL, 116_534_784),
        ("gpt1", "choice_scorer", 116_535_553),
        ("longformer_base", _ENCODER, 148_659_456),
        ("longformer_base", _ALL, 148_711_257),
        ("modernbert_base", _ENCODER, 149_014_272),
        ("modernbert_base", _ALL, 149_655_232),
        ("modernbert_large", _ENCODER, 394_781_696),
        ("modernbert_large", _ALL, 395_881_664),
        ("mpnet_base", _ENCODER, 109_486_464),
        ("mpnet_base", _ALL, 109_518_527),
        ("roberta_base", _ENCODER, 124_645_632),
        ("roberta_base", _ALL, 124_697_433),
        ("xlm_roberta_base", _ENCODER, 278_043_648),
        ("xlm_roberta_base", _ALL, 278_295_186),
        ("xlm_roberta_large", _ENCODER, 559_890_432),
        ("xlm_roberta_large", _ALL, 560_142_482),
        ("xlnet_base", _ENCODER, 116_718_336),
        ("xlnet_base", _ALL, 116_750_336),
    ],
)
def test_counts_of_config_files_are_the_published_ones(size, head, count):
    assert _count(read_config(_CONFIGS / f"{size}.json"), head) == count


@pytest.mark.parametrize(
    "head, count", [(_ENCODER, 66_362_880), (_ALL, 66_985_530)]
)
def test_distilbert_has_the_published_count(head, count):
    config = family_of("distilbert").config(30522)
    assert _count(config, head) == count


@pytest.mark.parametrize(
    "size, share, counts",
    [
        ("small", 0.25, (4_580_928, 4_620_026)),
        ("small", 1.0, (13_483_008, 13_546_682)),
        ("base", 1 / 3, (33_511_168, 33_740_602)),
    ],
)
def test_generators_are_as_large_as_published(size, share, counts):
    config = read_config(_CONFIGS / f"electra_{size}.json").generator(share)
    assert tuple(_count(config, x) for x in (_ENCODER, _MASKED_LM)) == counts
    if share == 0.25:
        assert config == read_config(_CONFIGS / "electra_small_generator.json")


def test_deberta_v2_xlarge_is_as_large_as_published():
    config = DebertaV2Config(128100, 1536, 24, 24, 6144, conv_kernel_size=3)
    shapes = weight_shapes(config).items()
    sizes = [np.prod(s, dtype=int) for path, s in shapes if "head" not in path]
    assert sum(sizes) == 884_593_152
