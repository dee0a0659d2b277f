"""Feature extractor that returns the encoder's outputs for texts."""

from keras_bert.checkpoints import PretrainedModel
from keras_bert.tasks.task import Task
from keras_bert.text.preprocessor import Preprocessor


class FeatureExtractor(Task):
    """Feature extractor that returns the encoder's outputs for texts.

    Args:
        pretrained: encoder.
        seq_length: length of the packed sequences. Defaults to the model's
            maximum.
    """

    preprocess: Preprocessor

    def __init__(
        self, pretrained: PretrainedModel, seq_length: int | None = None
    ):
        self.pretrained = pretrained
        self.model = pretrained.encoder
        self.input_names = tuple(pretrained.backbone.inputs)
        self.output_names = tuple(pretrained.encoder.output)
        self.preprocess = Preprocessor(
            pretrained.tokenizer,
            pretrained.family.template,
            pretrained.sequence_length(seq_length),
        )

    def _published_model_and_files(self):
        return self.pretrained.without_task(), {}
