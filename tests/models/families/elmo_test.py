import json

import pytest

from keras_bert.models import ElmoBackbone
from keras_bert.models import ElmoOptions

# As published in 2018.
_PUBLISHED = {
    "lstm": {
        "use_skip_connections": True,
        "projection_dim": 512,
        "cell_clip": 3,
        "proj_clip": 3,
        "dim": 4096,
        "n_layers": 2,
    },
    "char_cnn": {
        "activation": "relu",
        "filters": [
            *([1, 32], [2, 32], [3, 64], [4, 128]),
            *([5, 256], [6, 512], [7, 1024]),
        ],
        "n_highway": 2,
        "embedding": {"dim": 16},
        "n_characters": 262,
        "max_characters_per_token": 50,
    },
}


def _read(tmp_path, values):
    path = tmp_path / "options.json"
    path.write_text(json.dumps(values))
    return ElmoOptions.from_json(path)


def test_the_published_size_has_the_published_number_of_weights(tmp_path):
    options = _read(tmp_path, {**_PUBLISHED, "n_tokens_vocab": 793471})
    backbone = ElmoBackbone(options)
    words, lstms = backbone.embeddings, backbone.blocks
    assert words.projection.count_params() == 1_049_088
    assert sum(x.count_params() for x in words.highways) == 16_785_408
    assert sum(x.count_params() for x in lstms) == 75_563_008
    assert backbone.encoder().count_params() == 93_600_848


@pytest.mark.parametrize(
    "part, key, value, message",
    [
        ("lstm", "dim", None, "dim=None"),
        ("lstm", "use_skip_connections", 1, "use_skip_connections=1"),
        ("char_cnn", "vocab", 3, "vocab"),
        ("char_cnn", "n_characters", 261, "`n_characters`.*Set it to 262"),
        (
            *("char_cnn", "projection_after_highway", True),
            "`projection_after_highway` is unknown. If it is true, remove it",
        ),
    ],
)
def test_a_bad_option_is_an_error(tmp_path, part, key, value, message):
    values = {**_PUBLISHED, part: {**_PUBLISHED[part], key: value}}
    with pytest.raises(ValueError, match=f"options.json: .*{message}"):
        _read(tmp_path, values)


def test_a_missing_option_is_named_with_the_cure(tmp_path):
    lstm = {k: x for k, x in _PUBLISHED["lstm"].items() if k != "cell_clip"}
    for values, message in (
        ({**_PUBLISHED, "lstm": lstm}, "`cell_clip` is missing.*a large value"),
        ({"lstm": lstm}, "`char_cnn` must be an object.*=None"),
    ):
        with pytest.raises(ValueError, match=f"options.json: {message}"):
            _read(tmp_path, values)
