"""The vectors of a text."""

from keras_bert.tasks.task import Task
from keras_bert.text.preprocessor import Preprocessor


class FeatureExtractor(Task):
    """Turns texts into the encoder's outputs.

    Args:
        pretrained: `PretrainedModel`.
        seq_length: int, length of the packed sequences; the model's own
            limit by default.
    """

    def __init__(self, pretrained, seq_length=None):
        self.pretrained = pretrained
        self.model = pretrained.encoder
        self.inputs = tuple(pretrained.backbone.inputs)
        self.outputs = tuple(pretrained.encoder.output)
        self.preprocess = Preprocessor(
            pretrained.tokenizer,
            pretrained.family.template,
            pretrained.sequence_length(seq_length),
        )
