"""Data sets of TensorFlow Datasets, prepared on disk from a few examples."""

import pytest

from keras_bert.data.prepared import open_builder


@pytest.fixture
def prepare(tmp_path):
    """Prepares a data set; the directory of data sets.

    Args:
        name: str, "glue/mrpc" or "tiny".
        features: dict.
        splits: dict of lists of examples.
    """

    import tensorflow_datasets as tfds

    def prepare(name, features, splits):
        name, _, config = name.partition("/")
        directory = tmp_path / name / config / "2.0.0"
        directory.mkdir(parents=True)
        identity = tfds.core.DatasetIdentity(
            name=name,
            config_name=config or None,
            version=tfds.core.Version("2.0.0"),
            data_dir=str(directory),
            module_name="",
        )
        info = tfds.core.DatasetInfo(
            builder=identity, features=tfds.features.FeaturesDict(features)
        )
        writer = tfds.core.SequentialWriter(info, max_examples_per_shard=2)
        writer.initialize_splits([*splits])
        writer.add_examples(splits)
        writer.close_all()
        return str(tmp_path)

    yield prepare
    open_builder.cache_clear()
