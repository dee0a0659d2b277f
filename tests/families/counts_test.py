"""Weight tables have the published numbers of parameters.

`models_test.py` compares the tables with the models.
"""

import math
import pathlib

import pytest

from keras_bert.checkpoints.family import read_config
from keras_bert.checkpoints.weight_table import HeadSize
from keras_bert.checkpoints.weight_table import weight_shapes
from keras_bert.config import BertConfig
from keras_bert.models.families.deberta_v2.config import DebertaV2Config
from keras_bert.models.families.distilbert.model import DistilBertConfig

_CONFIGS = pathlib.Path(__file__).parents[2] / "configs"
_NONE, _ALL = "encoder", "all heads"
_MASKED_LM, _REPLACED = "masked_lm_head", "replaced_token_head"
_SCORER = "choice_scorer"
# Published models without a config file.
_OTHERS = {
    "distilbert_base": DistilBertConfig(30522),
    "deberta_v2_xlarge": DebertaV2Config(
        128100, 1536, 24, 24, 6144, conv_kernel_size=3
    ),
    "spanbert_base": BertConfig(28996, hidden_act="gelu_erf"),
}


def _count(config, head):
    """Count the weights of an encoder and its pooler, or with all heads.

    A model with one head has no pooler.
    """
    size = HeadSize(_SCORER, 1) if head == _SCORER else None
    total = 0
    for path, shape in weight_shapes(config, size).items():
        part = path.partition("/")[0]
        is_head = part.endswith("_head") or part == _SCORER
        if is_head:
            counts = head in (_ALL, part)
        else:
            counts = part != "pooler" or head in (_NONE, _ALL)
        total += counts * math.prod(shape)
    return total


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
    for width, count in zip((128, 256, 512, 768), counts, strict=True):
        config = BertConfig(30522, width, depth, width // 64, 4 * width)
        assert _count(config, _NONE) == count


@pytest.mark.parametrize(
    "name, encoder, head, count",
    [
        ("bert_base", 109_482_240, _ALL, 110_106_428),
        ("bert_large", 335_141_888, _ALL, 336_226_108),
        ("spanbert_base", 108_310_272, _MASKED_LM, 108_340_804),
        ("albert_base", 11_683_584, _ALL, 11_813_810),
        ("albert_base", 11_683_584, _MASKED_LM, 11_221_680),
        ("albert_large", 17_683_968, _NONE, 17_683_968),
        ("albert_xlarge", 58_724_864, _NONE, 58_724_864),
        ("albert_xxlarge", 222_595_584, _ALL, 223_158_450),
        # 128,111,286, and 1,538 of the NSP head.
        ("bigbird_base", 127_468_800, _ALL, 128_112_824),
        ("deberta_base", 138_601_728, _ALL, 139_244_121),
        ("deberta_v2_xlarge", 884_593_152, _NONE, 884_593_152),
        ("deberta_v3_xsmall", 70_682_112, _NONE, 70_682_112),
        ("deberta_v3_small", 141_304_320, _NONE, 141_304_320),
        ("deberta_v3_base", 183_831_552, _MASKED_LM, 184_551_780),
        ("deberta_v3_large", 434_012_160, _NONE, 434_012_160),
        ("distilbert_base", 66_362_880, _ALL, 66_985_530),
        ("electra_small", 13_483_008, _REPLACED, 13_549_057),
        ("electra_small_generator", 4_580_928, _MASKED_LM, 4_620_026),
        ("electra_base", 108_891_648, _REPLACED, 109_483_009),
        ("electra_large", 334_092_288, _REPLACED, 335_142_913),
        ("ernie_1.0_base_zh", 99_866_112, _ALL, 100_477_778),
        ("ernie_2.0_base_en", 109_483_776, _NONE, 109_483_776),
        ("ettin_17m", 16_797_440, _ALL, 16_913_600),
        ("ettin_32m", 31_883_136, _ALL, 32_081_344),
        ("gpt1", 116_534_784, _SCORER, 116_535_553),
        ("longformer_base", 148_659_456, _MASKED_LM, 148_711_257),
        ("modernbert_base", 149_014_272, _ALL, 149_655_232),
        ("modernbert_large", 394_781_696, _ALL, 395_881_664),
        ("mpnet_base", 109_486_464, _MASKED_LM, 109_518_527),
        ("roberta_base", 124_645_632, _MASKED_LM, 124_697_433),
        ("xlm_roberta_base", 278_043_648, _MASKED_LM, 278_295_186),
        ("xlm_roberta_large", 559_890_432, _MASKED_LM, 560_142_482),
        ("xlnet_base", 116_718_336, _ALL, 116_750_336),
    ],
)
def test_published_models_have_their_counts(name, encoder, head, count):
    config = _OTHERS.get(name) or read_config(_CONFIGS / f"{name}.json")
    assert _count(config, _NONE) == encoder
    assert _count(config, head) == count


def test_generators_are_as_large_as_published():
    small, base, generator = (
        read_config(_CONFIGS / f"electra_{name}.json")
        for name in ("small", "base", "small_generator")
    )
    assert small.generator(0.25) == generator
    assert _count(base.generator(1 / 3), _MASKED_LM) == 33_740_602
