"""TensorFlow Datasets datasets as text sources."""

import dataclasses

from keras_bert.files.tfds_builder import check_split
from keras_bert.files.tfds_builder import decode_text
from keras_bert.files.tfds_builder import import_tfds
from keras_bert.files.tfds_builder import open_builder
from keras_bert.files.tfds_builder import read_examples
from keras_bert.pretraining.corpus import text_files
from keras_bert.pretraining.corpus.documents import document_lines


@dataclasses.dataclass(frozen=True)
class TfdsSource:
    """Dataset split as a text source with one document per example.

    Args:
        dataset: str, see `open_builder`.
        split: str, as for `tfds.load`, such as "train[:10%]".
        text_key: str, the name of the text feature.

    Raises:
        ValueError: the dataset, the split or the text feature does not exist,
            or the dataset is not prepared.
        ImportError: tensorflow-datasets is not installed.
    """

    dataset: str
    split: str = "train"
    text_key: str = "text"

    def __post_init__(self):
        keys = [
            key
            for key, feature in self._builder.info.features.items()
            if feature.shape == () and feature.tf_dtype == "string"
        ]
        if self.text_key not in keys:
            raise ValueError(
                f"`text_key` must name a text feature of {self.dataset}. "
                f"Received: {self.text_key!r}. Text features: "
                f"{', '.join(sorted(keys)) or 'none'}."
            )
        check_split(self._builder, self.split)

    @property
    def name(self):
        return f"{self._builder.info.full_name}:{self.split}"

    def num_bytes(self, chunk):
        """Return the estimated size of a chunk, for progress messages."""
        return self._total_bytes() // chunk[1]

    def fingerprint(self):
        """Return the name, version, split, size and text key of the dataset."""
        size = f"{self._num_examples} examples"
        return f"{self.name}, {size}, {self.text_key}"

    def chunks(self):
        """Return the chunks as (index, number of chunks) pairs."""
        wanted = -(-self._total_bytes() // text_files.CHUNK_BYTES)
        count = min(wanted, self._num_examples)
        return [(number, count) for number in range(count)]

    def lines(self, chunk, bad_lines=None):
        """Yield the lines of a chunk, or raise ValueError if not UTF-8."""
        del bad_lines  # A dataset has no invalid lines.
        number, count = chunk
        part = import_tfds().even_splits(self.split, n=count)[number]
        for example in read_examples(self._builder, part, [self.text_key]):
            location = f"{self.name}, example {example['tfds_id'].decode()}"
            yield from document_lines(
                decode_text(example[self.text_key], location)
            )

    @property
    def _builder(self):
        return open_builder(self.dataset)

    @property
    def _num_examples(self):
        return self._builder.info.splits[self.split].num_examples

    def _total_bytes(self):
        # Only the sizes of whole splits are known, so estimate from the mean
        # size of an example.
        splits = self._builder.info.splits.values()
        all_bytes = sum(split.num_bytes for split in splits)
        all_examples = sum(split.num_examples for split in splits)
        return int(self._num_examples * all_bytes / max(all_examples, 1))
