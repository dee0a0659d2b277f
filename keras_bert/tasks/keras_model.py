"""Keras models that include a tokenizer and take plain text."""

import dataclasses

import keras
import tensorflow as tf

from keras_bert import tasks
from keras_bert.checkpoints.family import config_from
from keras_bert.checkpoints.pretrained_model import PretrainedModel
from keras_bert.checkpoints.task_record import TaskRecord
from keras_bert.checkpoints.weight_table import HeadSize
from keras_bert.tasks.fine_tuned_task import FineTunedTask
from keras_bert.tasks.task import Task
from keras_bert.text.tokenizer_kinds import settings_from_json


def text_model(task: Task) -> keras.Model:
    """Create a Keras model that includes the tokenizer and takes strings.

    The model's `save` writes one `.keras` file with the architecture, weights,
    vocabulary, labels and thresholds, but no code. After `import keras_bert`,
    `keras.models.load_model` loads it.

    Args:
        task: a fine-tuned task or a `TextEmbedder`. The model shares its
            weights.

    Returns:
        A functional `keras.Model`. It takes a dict mapping the names in
        `text_inputs`, such as `text`, to string tensors `(batch_size,)`, and
        returns the outputs of `predict_texts`.

    Raises:
        ValueError: the task is of an unsupported class, or a graph cannot
            compute its predictions.

    Example:

    >>> model = keras_bert.tasks.text_model(classifier)
    >>> model.save("mood.keras")
    """
    task._check_servable()
    inputs = {
        name: keras.Input(
            task.text_shapes.get(name, (None,))[1:], dtype="string", name=name
        )
        for name in task.text_inputs
    }
    return keras.Model(inputs, TextAnswers(task, name="answers")(inputs))


@keras.saving.register_keras_serializable("keras_bert")
class TextAnswers(keras.layers.Layer):
    """Layer that computes `predict_texts` of a task (TensorFlow backend).

    Args:
        task: a fine-tuned task or a `TextEmbedder`.

    Call arguments:
        texts: dict mapping the names in `text_inputs` to string tensors
            `(batch_size,)`; choices are `(batch_size, num_choices)`.

    Returns:
        A dict of tensors, the outputs of `predict_texts`.
    """

    def __init__(self, task, **kwargs):
        super().__init__(**kwargs)
        self.config = _task_config(task)
        self.task = task
        self.model = task.model  # Tracks the weights.

    def call(self, texts):
        given = (tf.convert_to_tensor(texts[n]) for n in self.task.text_inputs)
        return self.task.predict_texts(*given)

    def get_config(self):
        return {**super().get_config(), "task": self.config}

    @classmethod
    def from_config(cls, config):
        return cls(**{**config, "task": _task_from_config(config["task"])})


def _task_config(task):
    """Return the JSON-serializable config of a task without weights."""
    if not isinstance(task, (FineTunedTask, tasks.TextEmbedder)):
        raise ValueError(
            "`task` must be a fine-tuned task or a TextEmbedder. "
            f"Received: {type(task).__name__}."
        )
    pretrained = task.pretrained
    record = pretrained.task if isinstance(task, FineTunedTask) else None
    return {
        "task": type(task).__name__,
        "arguments": {} if record else _embedder_arguments(task),
        "config": {
            "model_type": pretrained.config.model_type,
            **pretrained.config.fields(),
        },
        "parts": sorted(pretrained.parts),
        "record": record and dataclasses.asdict(record),
        "tokenizer": pretrained.tokenizer_settings.to_json(),
    }


def _task_from_config(values):
    """Create a task with random weights from its `_task_config`."""
    record = values["record"]
    if record is not None:
        head = record["head"] and HeadSize(**record["head"])
        record = TaskRecord(**{**record, "head": head})
    pretrained = PretrainedModel.from_config(
        config_from(values["config"]),
        settings_from_json(values["tokenizer"]),
        values["parts"],
        record,
    )
    arguments = dict(values["arguments"])
    if "dense" in arguments:
        arguments["dense"] = [
            keras.layers.deserialize(layer) for layer in arguments["dense"]
        ]
    return getattr(tasks, values["task"])(pretrained, **arguments)


def _embedder_arguments(embedder):
    return {
        **embedder.settings,
        "seq_length": embedder.preprocess.seq_length,
        "dense": [keras.layers.serialize(layer) for layer in embedder.dense],
    }
