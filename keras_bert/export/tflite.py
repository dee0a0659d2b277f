"""TFLite files for phones, with the tokenizer inside."""

import keras
import tensorflow as tf

from keras_bert.files import whole_file


def export_tflite(task, path):
    """Writes a TFLite file that takes strings.

    The signature `serving_default` takes `text`, string `(batch_size,)`, and
    gives the outputs of the task. Besides TFLite's built-in ops the file
    needs those of tensorflow-text, which an interpreter is given as
    `tensorflow_text.tflite_registrar.SELECT_TFTEXT_OPS`.

    Args:
        task: an object of `tasks` whose ops TFLite has: `TextEncoder`.
        path: str, the file, which appears whole or not at all.
    """
    # Weights go in as constants: an interpreter does not load variables.
    weights = [(v, v.numpy()) for v in task.model.variables]

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string, "text")])
    def from_text(text):
        constants = [(v, tf.constant(value)) for v, value in weights]
        with keras.StatelessScope(constants):
            return task.predict(task.preprocess(text))

    converter = tf.lite.TFLiteConverter.from_concrete_functions(
        [from_text.get_concrete_function()], task.model
    )
    converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS]
    converter.allow_custom_ops = True
    flatbuffer = converter.convert()
    with whole_file(path) as name, open(name, "wb") as file:
        file.write(flatbuffer)
