"""Base class for the inputs of fine-tuned tasks."""


class Inputs:
    """Base class for task inputs, which checks and tokenizes texts.

    Attributes:
        text_inputs, text_shapes: attributes of `Task`.
        preprocess: preprocessor of `Task`.
        extra_inputs: tuple of str, tensors returned by `preprocess` that the
            `Outputs` use, but not the model.
        is_per_token: bool, whether the model computes logits for each token.
    """

    text_inputs = ("text",)
    text_shapes = {}
    extra_inputs = ()
    is_per_token = False

    def read(self, texts):
        """Check texts for prediction and convert them for `encode`."""

    def read_labelled(self, texts, labels):
        """Check examples and labels and convert them for `encode` and `learn`.

        Args:
            texts: examples in the format of `fit`.
            labels: labels in the format of `fit`, or `LABELS_INCLUDED`.
        """

    def encode(self, texts, targets=None, weights=None):
        """Tokenize texts.

        Args:
            texts: result of `read` or `read_labelled`.
            targets, weights: results of `Outputs.learn`, or None.

        Returns:
            `Encoded`.
        """

    def join(self, encoded, logits):
        """Combine row or token logits into the logits of predictions."""
        return logits

    def distillation_targets(self, encoded, logits):
        """Convert a teacher's logits to targets for examples.

        Returns:
            A function that maps example indices to targets.
        """
        return encoded.answer_targets(logits)

    def as_words(self, texts):
        """Convert texts passed to `probabilities` to the format of `read`."""
        return texts

    def ensemble_texts(self, encoded, texts):
        """Return the texts that the other models of an ensemble encode."""
        return texts
