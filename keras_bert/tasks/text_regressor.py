"""Texts, or pairs of texts, to numbers."""

from keras_bert.tasks.fine_tuning.columns import one_or_many
from keras_bert.tasks.fine_tuning.texts import TextTask
from keras_bert.tasks.outputs import Numbers


class TextRegressor(TextTask):
    """Regressor of texts, or of pairs of texts, such as their similarity.

    A published model with several outputs gives as many numbers, which are
    learned from rows of numbers; the scores of `evaluate` are their means.

    Args:
        pretrained: `PretrainedModel`, of an encoder or fine-tuned for this
            task.
        **kwargs: of `TextTask`.

    Example:

    >>> regressor = keras_bert.TextRegressor.from_pretrained("directory")
    >>> pairs = [("a film", "a movie"), ("a film", "the sea")]
    >>> history = regressor.fit(pairs, [4.5, 0.5], verbose=0)
    >>> len(regressor.predict(pairs))
    2

    References:
        [BERT](https://arxiv.org/abs/1810.04805), section 4.1
    """

    shared = ("is_pair",)

    def __init__(
        self,
        pretrained,
        seq_length=None,
        truncation=None,
        windows=None,
        stride=None,
    ):
        task = pretrained.task
        is_trained = task is not None and task.task == type(self).__name__
        answer = Numbers(task.head.num_outputs if is_trained else 1)
        how = seq_length, truncation, windows, stride
        super().__init__(pretrained, answer, {}, *how)

    @one_or_many
    def predict(self, texts, show_progress_bar=False):
        """Return a number for each text.

        Args:
            texts: str, or list of str or of pairs of str, perhaps empty; or
                dicts, columns, arrays or tensors of these.
            show_progress_bar: bool, whether to show Keras's progress bar.

        Returns:
            A list of float, one for each text; of a single text its float.
            A model with several outputs gives a list of float for each text.
            A warning in the log says how many texts are too long and are cut.
        """
        return self.answered(texts, show_progress_bar)
