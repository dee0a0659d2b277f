"""Check of the error messages of all formats."""

import pytest

from keras_bert.checkpoints.errors import CheckpointError


def check_refused(open_file, path, complaint):
    with pytest.raises(CheckpointError, match=complaint) as info:
        open_file(path)
    assert str(path) in str(info.value)
    assert "\n" not in str(info.value)
