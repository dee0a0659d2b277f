import dataclasses

import pytest

from keras_bert.config import BertConfig
from keras_bert.models import bert_pretrainer
from keras_bert.programs.pretraining.fitting_config import available_bytes
from keras_bert.programs.pretraining.fitting_config import check_fits
from keras_bert.programs.pretraining.fitting_config import num_parameters


@pytest.mark.parametrize(
    "changes", [{}, {"num_hidden_layers": 3, "type_vocab_size": 5}]
)
def test_the_weights_are_counted_as_the_model_has_them(tiny_config, changes):
    config = dataclasses.replace(tiny_config, **changes)
    assert num_parameters(config) == bert_pretrainer(config).count_params()


def test_a_model_that_cannot_fit_is_refused_before_it_is_made():
    config = BertConfig(
        vocab_size=30522, hidden_size=100_000, num_attention_heads=10
    )
    with pytest.raises(
        ValueError,
        match="must fit in memory: smaller hidden_size.* Received: .* million "
        r"weights, which take \d+.* GB with .*; 64.0 GB are free",
    ):
        check_fits(config, available=64 * 10**9)


def test_a_model_that_fits_is_let_through(tiny_config):
    needed = 16 * num_parameters(tiny_config)
    check_fits(tiny_config, available=needed)
    with pytest.raises(ValueError, match="must fit"):
        check_fits(tiny_config, available=needed - 1)


def test_nothing_is_said_where_the_memory_is_not_known(monkeypatch):
    monkeypatch.setattr(
        "keras_bert.programs.pretraining.fitting_config.available_bytes",
        lambda: None,
    )
    check_fits(BertConfig(vocab_size=10**9, hidden_size=120_000))


def test_the_free_memory_of_a_machine_is_plausible():
    available = available_bytes()
    assert available is None or 10**7 < available < 10**14
