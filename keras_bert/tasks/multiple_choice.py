"""Questions to the right one of several choices."""

from keras_bert.models.task_model import over_choices
from keras_bert.tasks.choices import Choices
from keras_bert.tasks.fine_tuned_task import FineTunedTask
from keras_bert.tasks.fine_tuning.columns import one_or_many
from keras_bert.tasks.outputs import Choice


class MultipleChoice(FineTunedTask):
    """Chooser of the continuation of a text, or of an answer to a question.

    The model scores each choice together with the context, and softmax makes
    probabilities of the scores. Questions are `MultipleChoiceExample`s, as
    `read_swag` gives them with their labels; or pairs of a context, str, and
    its choices, a list of str, and the label is the index of the right one.
    All questions that are given together have as many choices.

    Args:
        pretrained: `PretrainedModel`, of an encoder or fine-tuned for this
            task.
        seq_length: int, longest context and choice in tokens, special
            tokens included; by default as trained, or else 128, or the
            model's limit if that is less. If both are longer, the longer text
            is cut.

    Example:

    >>> chooser = keras_bert.MultipleChoice.from_pretrained("directory")
    >>> questions = [("The sun", ["rises.", "barks."])]
    >>> history = chooser.fit(questions, [0], verbose=0)
    >>> chooser.predict(questions)
    [{'choice': 0, 'probability': 0.97, 'truncated': False}]

    References:
        [BERT](https://arxiv.org/abs/1810.04805), section 4.4
    """

    def __init__(self, pretrained, seq_length=None):
        seq_length = self._trained_seq_length(pretrained, seq_length)
        settings = {"seq_length": seq_length}
        super().__init__(pretrained, Choices, Choice(), settings)
        # Answers come from the model of single rows, in batches of similar
        # lengths; training and serving take whole questions.
        self.model = self.over_examples(self.model)

    def over_examples(self, model):
        return over_choices(model, f"{model.name}_over_choices")

    @one_or_many
    def probabilities(self, questions):
        """Compute the probability of each choice.

        Args:
            questions: as the class takes them, labelled or not, perhaps none;
                or dicts or columns with the keys `text` and `choices`.

        Returns:
            A float32 array `(num_questions, num_choices)`, or `(num_choices,)`
            of a single question. The probabilities of a question sum to 1.
        """
        return self.answer.probabilities(self.logits(self.encode(questions)))

    @one_or_many
    def predict(self, questions, show_progress_bar=False):
        """Choose.

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
