"""Questions to the right one of several choices."""

import keras
import numpy as np
from keras import ops

from keras_bert.models.task_model import over_choices
from keras_bert.tasks.choices import ChoicePreprocessor
from keras_bert.tasks.choices import as_questions
from keras_bert.tasks.choices import encoded_questions
from keras_bert.tasks.choices import right_choices
from keras_bert.tasks.fine_tuning.collapse import is_nearly_constant
from keras_bert.tasks.fine_tuning.collapse import probe_indices
from keras_bert.tasks.fine_tuning.columns import one_or_many
from keras_bert.tasks.fine_tuning.encoded import Encoded
from keras_bert.tasks.fine_tuning.encoded import tokenized_rows
from keras_bert.tasks.fine_tuning.fine_tuned_task import FineTunedTask
from keras_bert.tasks.fine_tuning.monitoring import LabelAccuracy
from keras_bert.tasks.task import TRUNCATED
from keras_bert.text.preprocessor import Preprocessor

# Logits of choices that differ by less are told apart by rounding only.
_FLAT = 0.01


class MultipleChoice(FineTunedTask):
    """Chooses how a text goes on, or what answers a question.

    The model scores each choice together with the context, and softmax makes
    probabilities of the scores. Questions are `MultipleChoiceExample`s, as
    `read_swag` gives them with their labels; or pairs of a context, str, and
    its choices, a list of str, and the label is the index of the right one.
    All questions that are given together have as many choices.

    Args:
        pretrained: `PretrainedModel`, of an encoder or fine-tuned for this
            task.
        seq_length: int, longest context and choice in tokens, special ones
            included; by default 128, or the model's limit if that is less.
            Of longer ones the longer text is cut.

    Example:

    >>> chooser = keras_bert.MultipleChoice.from_pretrained("directory")
    >>> questions = [("The sun", ["rises.", "barks."])]
    >>> history = chooser.fit(questions, [0], verbose=0)
    >>> chooser.predict(questions)
    [{'choice': 0, 'probability': 0.97, 'truncated': False}]

    References:
        [BERT](https://arxiv.org/abs/1810.04805), section 4.4
    """

    head = "choice_scorer"
    main_metric = "accuracy"
    text_inputs = ("text", "choices")
    text_shapes = {"choices": (None, None)}
    outputs = ("logits", "probabilities", "choice", TRUNCATED)

    def __init__(self, pretrained, seq_length=None):
        seq_length = self._trained_seq_length(pretrained, seq_length)
        super().__init__(pretrained, 1, {"seq_length": seq_length})
        # Answers come from the model of single rows, which `logits` runs, in
        # batches of like lengths; it learns and serves whole questions.
        rows = self.pretrained.task_model
        self.model = over_choices(rows, f"{rows.name}_over_choices")
        self.preprocess = ChoicePreprocessor(
            Preprocessor(
                self.pretrained.tokenizer,
                self._template(pretrained),
                seq_length,
            )
        )

    def learning_model(self):
        rows = super().learning_model()
        return over_choices(rows, f"{rows.name}_over_choices")

    def encode(self, questions, labels=None, class_weights=None):
        if class_weights:
            raise ValueError(
                "`class_weights` are for labels that have names; choices "
                f"have none. Received: class_weights={class_weights!r}."
            )
        questions = as_questions(questions)
        contexts, choices = encoded_questions(questions)
        num_choices = len(choices[0]) if choices else 2
        targets = None
        if labels is not None:
            if not contexts:
                raise ValueError("There must be examples. Received: none.")
            places = right_choices(questions, labels, num_choices)
            targets = np.eye(num_choices, dtype=np.float32)[places]
        rows = self._pairs(contexts, choices)
        return Encoded(
            rows,
            np.full(len(contexts), num_choices),
            groups=np.arange(len(rows)).reshape(-1, num_choices),
            targets=targets,
        )

    def loss(self, label_smoothing):
        return keras.losses.CategoricalCrossentropy(
            from_logits=True, label_smoothing=label_smoothing
        )

    def logits(self, encoded):
        return self.row_logits(encoded.rows).reshape(encoded.groups.shape)

    def training_metrics(self):
        return [LabelAccuracy()]

    def loss_arguments(self, encoded, logits):
        return encoded.targets, logits

    def metric_names(self, encoded):
        return ["accuracy"]

    def metrics(self, encoded, logits):
        is_right = logits.argmax(axis=1) == encoded.targets.argmax(axis=1)
        return {"accuracy": float(is_right.mean())}

    def collapse(self, encoded):
        some = probe_indices(len(encoded))
        logits = self.logits(encoded.part(some))
        # Scores of one value say the same where rounding makes one the best.
        is_flat = np.ptp(logits, axis=1, keepdims=True) < _FLAT
        answers = np.where(is_flat.all(), 0, logits.argmax(axis=1))
        return is_nearly_constant(answers, encoded.targets[some])

    @one_or_many
    def probabilities(self, questions):
        """Computes the probability of each choice.

        Args:
            questions: as the class takes them, labelled or not, perhaps none;
                or dicts or columns with the keys `text` and `choices`.

        Returns:
            A float32 array `(num_questions, num_choices)`, or `(num_choices,)`
            of a single question. Those of a question sum to 1.
        """
        return self.probabilities_of(self.logits(self.encode(questions)))

    @one_or_many
    def predict(self, questions, show_progress_bar=False):
        """Chooses.

        Args:
            questions: as `probabilities` takes them.
            show_progress_bar: bool, whether to show Keras's progress bar.

        Returns:
            A list of dicts, one for each question: `choice`, int, the index
            of the most probable one; its `probability`, float; and
            `truncated`, bool, whether a choice was cut with its context. A
            single question has a single dict.
        """
        return self.answered(questions, show_progress_bar)

    def decode(self, encoded, logits):
        return [
            {
                "choice": int(row.argmax()),
                "probability": float(row.max()),
                TRUNCATED: is_cut,
            }
            for row, is_cut in zip(
                self.probabilities_of(logits),
                encoded.truncated.tolist(),
                strict=True,
            )
        ]

    def probabilities_of(self, logits):
        """Makes the answer of `probabilities` of logits.

        :meta private:
        """
        return ops.convert_to_numpy(self._probabilities(logits))

    def predict_ids(self, inputs):
        """Chooses, in graph.

        Args:
            inputs: dict of int32 `(batch_size, num_choices, seq_length)`
                tensors.

        Returns:
            A dict of `logits` and `probabilities`, float32 `(batch_size,
            num_choices)`, and `choice`, int32 `(batch_size,)`, the index of
            the most probable.
        """
        import tensorflow as tf

        logits = self.model(inputs)["logits"]
        return {
            "logits": logits,
            "probabilities": self._probabilities(logits),
            # That of Keras looks at bits, which TFLite has no op for.
            "choice": tf.argmax(logits, axis=-1, output_type=tf.int32),
        }

    def _pairs(self, contexts, choices):
        """Each choice with its context, `PackedRows`."""
        firsts = [
            context
            for context, several in zip(contexts, choices, strict=True)
            for _ in several
        ]
        seconds = [choice for several in choices for choice in several]
        return tokenized_rows(self.preprocess.pairs, firsts, seconds)
