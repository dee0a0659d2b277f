import errno
import zipfile

import numpy as np
import pytest
import tensorflow as tf

from keras_bert.checkpoints.training_state import restore_state
from keras_bert.checkpoints.training_state import save_state


def make_variables(seed):
    random = np.random.default_rng(seed)
    return [
        tf.Variable(random.normal(size=(3, 2)).astype("float32")),
        tf.Variable(random.integers(0, 2**32, 2, dtype=np.uint32)),
        tf.Variable(np.int64(seed)),
    ]


def save(directory, step, **arguments):
    variables = make_variables(step)
    save_state(directory, step, variables, {"sums": {"a": 0.1}}, **arguments)
    return variables


def names(directory):
    return sorted(path.name for path in directory.iterdir())


def check_restored(directory, step):
    variables = make_variables(999)
    about = restore_state(directory, variables)
    assert about == {"step": step, "sums": {"a": 0.1}}
    for variable, saved in zip(variables, make_variables(step), strict=True):
        assert variable.dtype == saved.dtype
        np.testing.assert_array_equal(variable.numpy(), saved.numpy())


def test_without_states_there_is_nothing_to_restore(tmp_path):
    assert restore_state(tmp_path / "missing", make_variables(1)) is None
    # A killed writer left this.
    (tmp_path / "step-00000001.npz.123.tmp").write_bytes(b"half")
    assert restore_state(tmp_path, make_variables(1)) is None
    save(tmp_path, 2)
    assert names(tmp_path) == ["step-00000002.npz"]


def test_the_newest_states_stay(tmp_path):
    for step in (5, 90, 100, 1000):
        save(tmp_path, step, keep=3)
    kept = [f"step-{step:08d}.npz" for step in (90, 100, 1000)]
    assert names(tmp_path) == kept
    check_restored(tmp_path, 1000)
    save(tmp_path, 1001, keep=1)
    assert names(tmp_path) == ["step-00001001.npz"]


def test_a_damaged_state_goes_when_the_run_goes_on_before_it(tmp_path):
    save(tmp_path, 20)
    (tmp_path / "step-00000030.npz").write_bytes(b"")
    save(tmp_path, 22, keep=1)
    assert names(tmp_path) == ["step-00000022.npz"]


@pytest.mark.parametrize("length", [0, 100, -100])
def test_a_damaged_state_gives_way_to_the_one_before(tmp_path, caplog, length):
    save(tmp_path, 1)
    save(tmp_path, 2)
    path = tmp_path / "step-00000002.npz"
    path.write_bytes(path.read_bytes()[:length])
    check_restored(tmp_path, 1)
    assert f"{path} is damaged; loading the previous state." in caplog.text
    (tmp_path / "step-00000001.npz").write_bytes(b"")
    with pytest.raises(ValueError, match="None of the 2 states in .* be read"):
        restore_state(tmp_path, make_variables(1))


def test_a_state_of_another_model_is_an_error(tmp_path):
    save(tmp_path, 1)
    before = make_variables(5)
    for variables in (before[:2], [tf.Variable([1.0]), *before[1:]]):
        old = [variable.numpy() for variable in variables]
        with pytest.raises(ValueError, match="1.npz belongs to a different"):
            restore_state(tmp_path, variables)
        for variable, value in zip(variables, old, strict=True):
            np.testing.assert_array_equal(variable.numpy(), value)


@pytest.mark.parametrize("num_writes", [0, 1, 4, 7])
def test_a_full_disk_leaves_the_older_states(tmp_path, monkeypatch, num_writes):
    save(tmp_path, 1)
    save(tmp_path, 2)
    write = zipfile._ZipWriteFile.write
    left = iter(range(num_writes))

    def write_until_full(file, data):
        if next(left, None) is None:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(file, data)

    monkeypatch.setattr(zipfile._ZipWriteFile, "write", write_until_full)
    with pytest.raises(OSError, match="No space.*step-00000003.npz"):
        save(tmp_path, 3)
    assert names(tmp_path) == ["step-00000001.npz", "step-00000002.npz"]
    monkeypatch.undo()
    check_restored(tmp_path, 2)
