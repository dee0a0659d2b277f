import pathlib

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from keras_bert.tasks.scores.label_pictures import draw_calibration  # noqa: E402
from keras_bert.tasks.scores.label_pictures import draw_confusion  # noqa: E402


def _image(path):
    import matplotlib.image

    assert pathlib.Path(path).read_bytes().startswith(b"\x89PNG")
    return matplotlib.image.imread(path)


@pytest.mark.parametrize("num_labels", [2, 40])
def test_a_table_with_more_right_answers_is_another_picture(
    tmp_path, num_labels
):
    names = [f"label {n}" for n in range(num_labels)]
    one, two = tmp_path / "1.png", tmp_path / "2.png"
    draw_confusion(np.eye(num_labels, dtype=int), names, one)
    draw_confusion(np.zeros((num_labels, num_labels), int), names, two)
    assert not np.array_equal(_image(one), _image(two))


def test_bins_are_drawn(tmp_path):
    path, empty = tmp_path / "a.png", tmp_path / "b.png"
    draw_calibration([{"confidence": 0.9, "accuracy": 0.5, "count": 4}], path)
    draw_calibration([], empty)
    assert not np.array_equal(_image(path), _image(empty))
