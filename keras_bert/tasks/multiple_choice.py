"""Multiple-choice questions."""

import typing

import numpy as np

from keras_bert.checkpoints import PretrainedModel
from keras_bert.models.task_model import over_choices
from keras_bert.tasks.columns import one_or_many
from keras_bert.tasks.fine_tuned_task import FineTunedTask
from keras_bert.tasks.inputs.choices import Choices
from keras_bert.tasks.multiple_choice_example import MultipleChoiceExample
from keras_bert.tasks.outputs.text_outputs import Choice


class MultipleChoice(FineTunedTask):
    """Multiple-choice model that selects the best choice for a context.

    The model scores each pair of the context and a choice, and a softmax over
    the choices returns probabilities. Questions are `MultipleChoiceExample`s
    from `read_swag`, or (context, choices) pairs with a str and a list of str.
    Labels are indices of choices. All questions in a call must have the same
    number of choices.

    Args:
        pretrained: encoder, or model fine-tuned for this task.
        seq_length: maximum length of context and choice in tokens, special
            tokens included. Defaults to the trained length, or 128. If the
            pair is too long, the longer text is truncated.

    Example:

    >>> chooser = keras_bert.MultipleChoice.from_pretrained("directory")
    >>> questions = [("The sun", ["rises.", "barks."])]
    >>> history = chooser.fit(questions, [0], verbose=0)
    >>> chooser.predict(questions)
    [{'choice': 0, 'probability': 0.97, 'truncated': False}]

    References:
        [BERT](https://arxiv.org/abs/1810.04805), section 4.4
    """

    def __init__(
        self, pretrained: PretrainedModel, seq_length: int | None = None
    ):
        seq_length = self._trained_seq_length(pretrained, seq_length)
        settings = {"seq_length": seq_length}
        super().__init__(pretrained, Choices, Choice(), settings)
        # `predict` runs a model for single rows, in batches of similar lengths.
        # Training and exported models take whole questions.
        self.model = self._over_examples(self.model)

    def _over_examples(self, model):
        return over_choices(model, f"{model.name}_over_choices")

    @one_or_many
    def probabilities(self, questions: typing.Any) -> np.ndarray:
        """Compute the probability of each choice.

        Args:
            questions: list of questions, labelled or not; it may be empty.
                Also dicts or columns with the keys `text` and `choices`.

        Returns:
            A float32 array `(num_questions, num_choices)`, or `(num_choices,)`
            for a single question. The probabilities of a question sum to 1.
        """
        return self.outputs.probabilities(self._logits(self._encode(questions)))

    @typing.overload
    def predict(
        self, questions: MultipleChoiceExample, show_progress_bar: bool = False
    ) -> dict[str, typing.Any]: ...

    @typing.overload
    def predict(
        self, questions: typing.Any, show_progress_bar: bool = False
    ) -> list[dict[str, typing.Any]]: ...

    @one_or_many
    def predict(
        self, questions: typing.Any, show_progress_bar: bool = False
    ) -> typing.Any:
        """Predict the best choice of each question.

        Args:
            questions: questions in the format of `probabilities`.
            show_progress_bar: whether to show Keras's progress bar.

        Returns:
            A list with a dict for each question, or a single dict for a single
            question. The keys are `choice` (int), the index of the most
            probable choice; `probability` (float); and `truncated` (bool),
            whether the context or a choice was truncated.
        """
        return self._compute_predictions(questions, show_progress_bar)
