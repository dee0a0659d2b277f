"""Fixtures of the checkpoint tests."""

import pytest


@pytest.fixture(scope="session")
def save_with_tf1():
    """Return a function that saves a TensorFlow 1 checkpoint with slots.

    Args:
        prefix: path of the checkpoint.
        arrays: dict of arrays by name.
        slots: names of the optimizer slots of each array.
    """
    import tensorflow as tf

    def save(prefix, arrays, slots=("adam_m", "adam_v")):
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            for name, array in arrays.items():
                for path in (name, *(f"{name}/{slot}" for slot in slots)):
                    tf.compat.v1.get_variable(path, initializer=array)
            tf.compat.v1.train.get_or_create_global_step()
            session.run(tf.compat.v1.global_variables_initializer())
            tf.compat.v1.train.Saver().save(session, str(prefix))

    return save


@pytest.fixture(scope="module")
def model(golden, tmp_path_factory):
    """Return the model of the directory that `golden` writes."""
    from keras_bert import from_pretrained

    return from_pretrained(golden.write(tmp_path_factory.mktemp("x") / "hf"))
