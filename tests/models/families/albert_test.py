import pytest

from keras_bert.models.families.albert.model import FAMILY
from keras_bert.models.families.albert.model import albert_backbone
from tests import tiny


@pytest.mark.parametrize(
    "num_layers, num_groups, inner, runs",
    [
        (3, 1, 1, "00 00 00"),
        (4, 2, 1, "00 00 10 10"),
        (3, 2, 2, "00 01 00 01 10 11"),
        (5, 5, 1, "00 10 20 30 40"),
        (18, 14, 1, None),
    ],
)
def test_groups_are_run_one_after_the_other(
    num_layers, num_groups, inner, runs
):
    config = tiny.config("albert", L=num_layers, G=num_groups, K=inner)
    backbone = albert_backbone(config)
    assert len(backbone.states) == config.depth + 1 == num_layers * inner + 1
    names = [block.name for block in backbone.blocks]
    if runs:
        expected = ["group_{}_block_{}".format(*run) for run in runs.split()]
        assert names == expected
    assert len({*names}) == num_groups * inner


def test_its_heads_dropout_is_its_own():
    config = tiny.config("albert", classifier_dropout_prob=0.25)
    rates = {
        part: kind.layer(config, 2, part).dropout
        for part, kind in FAMILY.task_heads.items()
    }
    assert rates.pop("span_classifier") == 0.0
    assert {*rates.values()} == {0.25}
