"""A task as a Keras layer, which is saved with its tokenizer."""

import keras
import tensorflow as tf

from keras_bert.tasks.text_models.task_config import task_config
from keras_bert.tasks.text_models.task_config import task_from_config


@keras.saving.register_keras_serializable("keras_bert")
class TextAnswers(keras.layers.Layer):
    """Answers strings, on the TensorFlow backend.

    Args:
        task: a fine-tuned task or a `TextEmbedder`.

    Call arguments:
        texts: dict of string tensors by the names of the task's
            `text_inputs`, each `(batch_size,)`, or of choices `(batch_size,
            num_choices)`.

    Returns:
        A dict of tensors, what the task's `predict_texts` gives.
    """

    def __init__(self, task, **kwargs):
        super().__init__(**kwargs)
        self.config = task_config(task)
        self.task = task
        self.model = task.model  # Tracks the weights.

    def call(self, texts):
        given = (tf.convert_to_tensor(texts[n]) for n in self.task.text_inputs)
        return self.task.predict_texts(*given)

    def get_config(self):
        return {**super().get_config(), "task": self.config}

    @classmethod
    def from_config(cls, config):
        return cls(**{**config, "task": task_from_config(config["task"])})
