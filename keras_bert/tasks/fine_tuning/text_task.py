"""Tasks on single texts or pairs, with an answer for the whole."""

from keras_bert.tasks.fine_tuning.columns import encoded_texts
from keras_bert.tasks.fine_tuning.columns import split_examples
from keras_bert.tasks.fine_tuning.encoded import Encoded
from keras_bert.tasks.fine_tuning.encoded import tokenized_rows
from keras_bert.tasks.fine_tuning.fine_tuned_task import FineTunedTask
from keras_bert.tasks.fine_tuning.text_windows import cut_texts
from keras_bert.tasks.fine_tuning.text_windows import long_text_settings
from keras_bert.tasks.fine_tuning.text_windows import pooled
from keras_bert.tasks.fine_tuning.text_windows import shared_by_windows
from keras_bert.text.preprocessor import Preprocessor


class TextTask(FineTunedTask):
    """A head on the first token of a text, or of a pair.

    Args:
        pretrained: `PretrainedModel`.
        num_outputs: int, of the head.
        settings: dict for JSON, of the subclass.
        seq_length, truncation, windows, stride: as `TextClassifier` takes
            them; by default as trained.

    Attributes:
        is_pair: bool, whether it takes pairs, which is known from the
            examples that it is trained on; None before.
    """

    shared = ("is_pair",)

    def __init__(
        self,
        pretrained,
        num_outputs,
        settings,
        seq_length=None,
        truncation=None,
        windows=None,
        stride=None,
    ):
        trained = self._trained_settings(pretrained)
        seq_length = self._trained_seq_length(pretrained, seq_length)
        num_special = pretrained.family.template.num_special(is_pair=False)
        settings = {
            **settings,
            "seq_length": seq_length,
            **long_text_settings(
                trained, seq_length - num_special, truncation, windows, stride
            ),
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

    def fit(self, texts, labels=None, validation_data=None, **kwargs):
        """Fine-tunes the model, as `FineTunedTask` does.

        From now on it takes what `texts` are, single ones or pairs, whatever
        it was trained on before.
        """
        is_pair = self.is_pair
        self.settings["is_pair"] = None
        try:
            return super().fit(texts, labels, validation_data, **kwargs)
        except Exception:
            self.settings["is_pair"] = is_pair
            raise

    def encode(self, texts, labels=None, class_weights=None):
        if labels is None:
            return self._in_rows(encoded_texts(texts, self.is_pair))
        texts, labels = split_examples(texts, labels)
        columns = encoded_texts(texts, self.is_pair)
        encoded = self._in_rows(columns, *self._learned(labels, class_weights))
        self.settings["is_pair"] = len(columns) == 2
        return encoded

    def _learned(self, labels, class_weights):
        """Checks labels; returns targets and weights of texts, or None."""
        raise NotImplementedError

    def _in_rows(self, columns, targets=None, weights=None):
        """Tokenizes columns of texts, in windows if they are read so."""
        windows = self.settings["windows"]
        if windows is None:
            rows = tokenized_rows(self.preprocess, *columns)
            return Encoded(rows, targets=targets, weights=weights)
        if len(columns) == 2:
            raise ValueError(
                "`windows` are for single texts: nothing tells which text of "
                "a pair to cut. Pass `truncation` to cut the longer one. "
                f"Received: windows={windows!r}, and pairs of texts."
            )
        rows, counts = cut_texts(
            self.preprocess, self.settings["stride"], *columns
        )
        if targets is None:
            return Encoded(rows, counts)
        learned = shared_by_windows(counts, targets, weights)
        return Encoded(rows, counts, **learned)

    def logits(self, encoded):
        logits = self.row_logits(encoded.rows)
        windows = self.settings["windows"]
        return logits if windows is None else pooled(encoded, logits, windows)

    def check_servable(self):
        super().check_servable()
        windows = self.settings["windows"]
        if windows is not None:
            raise ValueError(
                "In a served graph a text has one row, so windows are not "
                "pooled there. Read the model with `truncation`, such as "
                "'head', to serve it on texts that are cut. "
                f"Received: windows={windows!r}."
            )
