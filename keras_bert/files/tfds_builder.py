"""Reader for prepared datasets of the package tensorflow-datasets."""

import functools

from keras_bert import lazy
from keras_bert.messages import brief


def import_tfds():
    """Import tensorflow_datasets, or raise an error with the pip command."""
    return lazy.import_package("tensorflow_datasets", "A prepared dataset")


@functools.cache
def open_builder(dataset, data_dir=None):
    """Open a prepared dataset without downloading anything.

    Args:
        dataset: str, a name for `tfds.builder` ("wikipedia/20230601.en"), or
            the directory of one version of a dataset.
        data_dir: str, directory of all datasets. Defaults to TFDS_DATA_DIR.

    Returns:
        A `tfds.core.DatasetBuilder`.

    Raises:
        ValueError: the dataset does not exist or is not prepared.
        ImportError: tensorflow-datasets is not installed.
    """
    tfds = import_tfds()
    try:
        if "/" in dataset and tfds.core.Path(dataset).is_dir():
            builder = tfds.builder_from_directory(dataset)
        else:
            builder = tfds.builder(dataset, data_dir=data_dir)
    except (ValueError, OSError, AssertionError) as error:
        raise ValueError(
            f"{dataset!r} must be the name or the directory of a TensorFlow "
            f"dataset: {str(error).splitlines()[0]}"
        ) from None
    if not builder.is_prepared():
        raise ValueError(
            f"{dataset} must be prepared first, because nothing is downloaded "
            f"here. Run: tfds build {dataset}. Received: no data in "
            f"{builder.data_dir} (see TFDS_DATA_DIR)."
        )
    return builder


def check_split(builder, split):
    """Raise ValueError if `split` is not a split, or slice, of a dataset."""
    splits = builder.info.splits
    try:
        splits[split]
    except (KeyError, ValueError):
        raise ValueError(
            f"The split of {builder.info.full_name} must be one of "
            f"{', '.join(sorted(splits))} or a part such as "
            f"{min(splits)}[:10%]. Received: {brief(split)}."
        ) from None


def read_examples(builder, split, names, batch_size=None):
    """Iterate over selected features of examples, in the order of the files.

    Args:
        builder: `tfds.core.DatasetBuilder`.
        split: str, the `split` of `tfds.load`.
        names: list of str, the features.
        batch_size: int, examples in a batch; None for single examples.

    Returns:
        An iterator over dicts of NumPy values. The key `tfds_id` identifies an
        example.
    """
    tfds = import_tfds()
    return builder.as_dataset(
        split=split,
        batch_size=batch_size,
        decoders=tfds.decode.PartialDecoding(dict.fromkeys(names, True)),
        read_config=tfds.ReadConfig(
            interleave_cycle_length=1, add_tfds_id=True
        ),
        shuffle_files=False,
    ).as_numpy_iterator()


def decode_text(value, location):
    """Decode UTF-8 bytes. Error messages start with `location`."""
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{location}, is not UTF-8 text: {error}.") from None
