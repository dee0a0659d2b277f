"""The model that the page shows, and what it can be asked."""

import functools
import os

from keras_bert.tasks.embeddings.saving import load_embedder
from keras_bert.tasks.fill_mask import FillMask
from keras_bert.tasks.loading import trained_class
from keras_bert.tasks.text_embedder import TextEmbedder
from keras_bert.text.preprocessor import Preprocessor


class ShownModel:
    """A model of a directory with the tasks that it answers.

    Nothing of what it is asked stays in it.

    Args:
        directory: str, on this machine; nothing is downloaded.

    Attributes:
        pretrained: `PretrainedModel`.

    Raises:
        ValueError: it is no directory, or it holds no model.
    """

    def __init__(self, directory):
        directory = os.path.expanduser(directory.strip())
        if not os.path.isdir(directory):
            raise ValueError(
                "A model must be a directory on this machine. Received: "
                f"{directory[:200]!r}, which is none."
            )
        self.directory = directory
        self.pretrained, self._told = load_embedder(directory)

    @property
    def tokenizer(self):
        return self.pretrained.tokenizer

    @property
    def vocabulary(self):
        return self.tokenizer.vocabulary

    @property
    def inputs(self):
        """The names of the tensors that the encoder takes."""
        return tuple(self.pretrained.backbone.inputs)

    def has(self, part):
        """Whether there is a part, such as "masked_lm_head"."""
        return part in self.pretrained.parts

    def preprocess(self, num_pieces):
        """A `Preprocessor` to so many pieces, or the model's limit."""
        limit = self.pretrained.sequence_length()
        template = self.pretrained.family.template
        return Preprocessor(self.tokenizer, template, min(num_pieces, limit))

    @functools.cached_property
    def fill_mask(self):
        return FillMask(self.pretrained, top_k=8)

    @functools.cached_property
    def embedder(self):
        return TextEmbedder(self.pretrained, **self._told)

    @functools.cached_property
    def task(self):
        """What answers texts; None of an encoder, or of an embedder."""
        if self.pretrained.task is None or self._told:
            return None
        kind = trained_class(self.pretrained, self.directory)
        return kind.of_directory(self.pretrained, self.directory)

    def described(self):
        """What it is, in a line."""
        config = self.pretrained.config
        sizes = config.sizes
        task = self.pretrained.task
        return (
            f"{self.pretrained.family.name}, {config.depth} layers, "
            f"{sizes['N']} heads, {sizes['H']} wide, "
            f"{len(self.vocabulary):,} pieces, at most "
            f"{self.pretrained.sequence_length()} in a text"
            + (f"; fine-tuned: {task.task}" if task else "")
        )


@functools.lru_cache(maxsize=3)
def shown_model(directory):
    """The `ShownModel` of a directory, read once."""
    return ShownModel(directory)
