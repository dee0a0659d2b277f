"""Keras models that take plain text."""

import keras

from keras_bert.tasks.text_models.text_answers import TextAnswers


def text_model(task):
    """Makes a Keras model that takes strings, with the tokenizer inside.

    After `import keras_bert`, `keras.models.load_model` reads what its `save`
    writes: architecture, weights, vocabulary, labels and thresholds are all
    in the one `.keras` file, and no code is.

    Args:
        task: a fine-tuned task or a `TextEmbedder`. The model shares its
            weights.

    Returns:
        A functional `keras.Model` from a dict of string tensors by the names
        of the task's `text_inputs`, such as `text`, `(batch_size,)`, to what
        its `predict_texts` gives.

    Raises:
        ValueError: the task is another, or answers in a way that a graph
            cannot.

    Example:

    >>> model = keras_bert.tasks.text_model(classifier)
    >>> model.save("mood.keras")
    """
    task.check_servable()
    inputs = {
        name: keras.Input(
            task.text_shapes.get(name, (None,))[1:], dtype="string", name=name
        )
        for name in task.text_inputs
    }
    return keras.Model(inputs, TextAnswers(task, name="answers")(inputs))
