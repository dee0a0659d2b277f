"""Tasks on single texts or pairs, with an answer for the whole."""

from keras_bert.tasks.fine_tuning.columns import encoded_texts
from keras_bert.tasks.fine_tuning.examples import Examples
from keras_bert.tasks.fine_tuning.examples import tokenized_rows
from keras_bert.tasks.fine_tuning.fine_tuned_task import FineTunedTask
from keras_bert.text.preprocessor import Preprocessor


class TextTask(FineTunedTask):
    """A head on the first token of a text, or of a pair.

    Args:
        pretrained: `PretrainedModel`.
        num_outputs: int, of the head.
        settings: dict for JSON, of the subclass.
        seq_length: int, longest text or pair in tokens, special ones
            included; by default as trained, or else 128, or the model's limit
            if that is less.
        truncation: str, what is kept of longer texts; as of `Preprocessor`.

    Attributes:
        is_pair: bool, whether it takes pairs, which is known from the
            examples that it is trained on; None before.
    """

    def __init__(
        self,
        pretrained,
        num_outputs,
        settings,
        seq_length=None,
        truncation=None,
    ):
        trained = self.trained_settings(pretrained)
        settings = {
            **settings,
            "seq_length": self.trained_seq_length(pretrained, seq_length),
            "truncation": truncation or trained.get("truncation", "head"),
            "is_pair": trained.get("is_pair"),
        }
        super().__init__(pretrained, num_outputs, settings)
        self.preprocess = Preprocessor(
            self.pretrained.tokenizer,
            self.pretrained.family.template,
            settings["seq_length"],
            settings["truncation"],
        )

    @property
    def is_pair(self):
        return self.settings["is_pair"]

    @property
    def text_inputs(self):
        return ("text", "text_pair") if self.is_pair else ("text",)

    def note_pairs(self, is_pair):
        """Notes what the examples are that it is trained on."""
        self.settings["is_pair"] = is_pair

    def shared_settings(self):
        return {"is_pair": self.is_pair}

    def asked(self, texts):
        columns = encoded_texts(texts, self.is_pair)
        return Examples(tokenized_rows(self.preprocess, *columns))

    def logits(self, examples):
        return self.row_logits(examples.rows)
