"""Model shown on the page, with the tasks that it supports."""

import functools
import os
import pathlib

import numpy as np

from keras_bert.checkpoints.layout import CARD
from keras_bert.tasks.embeddings.saving import load_embedder
from keras_bert.tasks.fill_mask import FillMask
from keras_bert.tasks.loading import trained_class
from keras_bert.tasks.text_embedder import TextEmbedder
from keras_bert.tasks.text_generator import TextGenerator
from keras_bert.text.preprocessor import Preprocessor

_NUM_NEW_TOKENS = 12


class PlaygroundModel:
    """Model shown on the page, with the tasks that it supports.

    Args:
        directory: str, local directory; nothing is downloaded.
        name: str, displayed name. Defaults to the directory.
        left_to_right_dir: str, directory of a left-to-right model for
            comparison, or None.

    Attributes:
        pretrained: `PretrainedModel`.
        card: str, the README.md of the directory, or "".
        generator: `TextGenerator` of the left-to-right model, or None.

    Raises:
        ValueError: the directory does not exist or contains no model, or the
            other model is not left-to-right.
    """

    def __init__(self, directory, name=None, left_to_right_dir=None):
        directory = os.path.expanduser(directory.strip())
        if not os.path.isdir(directory):
            raise ValueError(
                "A model must be a directory on this machine. Received: "
                f"{directory[:200]!r}, which does not exist."
            )
        self.directory = directory
        self.name = name or directory
        path = pathlib.Path(directory, CARD)
        is_there = path.is_file()
        self.card = path.read_text("utf-8", "replace") if is_there else ""
        self.pretrained, self._embedder_settings = load_embedder(directory)
        self.generator = None
        if left_to_right_dir is not None:
            self.generator = TextGenerator.from_pretrained(
                left_to_right_dir, max_new_tokens=_NUM_NEW_TOKENS
            )

    @property
    def tokenizer(self):
        return self.pretrained.tokenizer

    @property
    def vocabulary(self):
        return self.tokenizer.vocabulary

    @property
    def input_names(self):
        """Names of the encoder's input tensors."""
        return tuple(self.pretrained.backbone.inputs)

    def has(self, part):
        """Return True if the model has a part, such as "masked_lm_head"."""
        return part in self.pretrained.parts

    def preprocess(self, num_pieces):
        """Create a `Preprocessor` for at most `num_pieces` pieces."""
        limit = self.pretrained.sequence_length()
        family, task = self.pretrained.family, self.pretrained.task
        template = family.template
        if task and task.head:
            template = family.template_of(task.head.part)
        return Preprocessor(self.tokenizer, template, min(num_pieces, limit))

    @functools.cached_property
    def fill_mask(self):
        return FillMask(self.pretrained, top_k=8)

    @functools.cached_property
    def embedder(self):
        return TextEmbedder(self.pretrained, **self._embedder_settings)

    def unit_vectors(self, texts):
        """Embed texts as vectors of length 1; zero vectors stay zero.

        Args:
            texts: list of str.

        Returns:
            A float32 array `(num_texts, dim)`.
        """
        vectors = self.embedder.embed(texts)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors / np.maximum(lengths, 1e-12)

    @functools.cached_property
    def task(self):
        """Fine-tuned task, or None for an encoder or an embedder."""
        if self.pretrained.task is None or self._embedder_settings:
            return None
        task_class = trained_class(self.pretrained, self.directory)
        return task_class._of_directory(self.pretrained, self.directory)

    def description(self):
        """Describe the family, the sizes and the task in one line."""
        config = self.pretrained.config
        sizes = config.sizes
        task = self.pretrained.task
        return (
            f"{self.pretrained.family.name}, {config.depth} layers, "
            f"{sizes['N']} heads, hidden size {sizes['H']}, "
            f"vocabulary of {len(self.vocabulary):,} pieces, texts of at most "
            f"{self.pretrained.sequence_length()} pieces"
            + (f"; fine-tuned: {task.task}" if task else "")
        )


@functools.lru_cache(maxsize=3)
def load_playground_model(directory):
    """Load the `PlaygroundModel` of a directory; cache the last three."""
    return PlaygroundModel(directory)
