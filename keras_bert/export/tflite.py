"""TFLite files for phones, with the tokenizer inside."""

import keras
import tensorflow as tf

from keras_bert.export.description import about
from keras_bert.export.served_graph import text_signature
from keras_bert.outputs import check_output_files
from keras_bert.outputs import recorded_file


def export_tflite(task, path, overwrite=False):
    """Writes a TFLite file that takes strings.

    The signature `serving_default` takes `text`, string `(batch_size,)`, and
    gives the outputs of the task; no texts give outputs with no rows. Besides
    TFLite's built-in ops the file needs those of tensorflow-text, which an
    interpreter is given as
    `tensorflow_text.tflite_registrar.SELECT_TFTEXT_OPS`. A manifest beside
    the file tells what it was made of.

    Args:
        task: an object of `tasks` whose ops TFLite has: `FeatureExtractor`.
        path: str, the file, which appears whole or not at all.
        overwrite: bool, replace a file that an earlier call has written.

    Raises:
        ValueError: a file is in the way that may not be replaced, or the
            task answers in a way that a graph cannot.
    """
    task.check_servable()
    check_output_files([path], overwrite=overwrite)
    # Weights go in as constants: an interpreter does not load variables.
    weights = [(v, v.numpy()) for v in task.model.variables]

    @tf.function(input_signature=text_signature(task))
    def from_text(*texts):
        constants = [(v, tf.constant(value)) for v, value in weights]
        count = tf.size(texts[0])
        # Ops of TFLite fail on no rows at all.
        texts = [
            tf.cond(count > 0, lambda t=t: t, lambda: tf.constant([""]))
            for t in texts
        ]
        with keras.StatelessScope(constants):
            outputs = task.predict_texts(*texts)
        return {name: rows[:count] for name, rows in outputs.items()}

    converter = tf.lite.TFLiteConverter.from_concrete_functions(
        [from_text.get_concrete_function()], task.model
    )
    converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS]
    converter.allow_custom_ops = True
    flatbuffer = converter.convert()
    with recorded_file(path, about(task)) as name, open(name, "wb") as file:
        file.write(flatbuffer)
