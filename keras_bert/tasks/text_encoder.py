"""The vectors of a text."""

from keras_bert.checkpoints import from_pretrained
from keras_bert.text.preprocessor import Preprocessor


class TextEncoder:
    """Turns texts into the encoder's outputs.

    Args:
        pretrained: `PretrainedModel`.
        seq_length: int, length of the packed sequences; the model's own
            limit by default.
    """

    def __init__(self, pretrained, seq_length=None):
        self.model = pretrained.encoder
        self.inputs = tuple(pretrained.backbone.inputs)
        self.outputs = tuple(pretrained.encoder.output)
        self.preprocess = Preprocessor(
            pretrained.tokenizer,
            pretrained.family.template,
            pretrained.sequence_length(seq_length),
        )

    @classmethod
    def from_pretrained(cls, directory, lowercase=None, **kwargs):
        """Reads a checkpoint, as of `keras_bert.from_pretrained`.

        Args:
            directory: str.
            lowercase: bool, where no file says whether texts are lower-cased.
            **kwargs: other arguments of the class.
        """
        return cls(from_pretrained(directory, lowercase=lowercase), **kwargs)

    def predict(self, inputs):
        """Encodes, in graph.

        Args:
            inputs: dict of int32 `(batch_size, seq_length)` tensors.

        Returns:
            A dict of `sequence_output`, float `(batch_size, seq_length,
            hidden_size)`, and, if there is a pooler, `pooled_output`, float
            `(batch_size, hidden_size)`.
        """
        return self.model(inputs)
