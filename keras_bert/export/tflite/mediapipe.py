"""TFLite files for MediaPipe's text tasks, which tokenize on the device."""

import flatbuffers
import numpy as np
import tensorflow as tf

from keras_bert import features
from keras_bert.export.tflite.functions import constant_function

# Names of the files in the archive.
VOCABULARY, LABELS = "vocab.txt", "labels.txt"
# MediaPipe's names of the inputs, by their names in this library.
_INPUTS = {
    features.INPUT_IDS.name: "ids",
    features.INPUT_MASK.name: "mask",
    features.SEGMENT_IDS.name: "segment_ids",
}
_OUTPUTS = ("embedding", "probabilities")
# Constants of the metadata schema.
_BERT_TOKENIZER, _LABELS_FILE, _VOCABULARY_FILE = 4, 2, 5


def check_mediapipe(task):
    """Raise ValueError if MediaPipe cannot run a task."""
    settings = task.preprocess.tokenizer.settings
    is_lowercase = getattr(settings, "lowercase", False)
    if (
        task.text_inputs != ("text",)
        or not _output(task)
        or settings.kind != "wordpiece"
        or not is_lowercase
    ):
        raise ValueError(
            "MediaPipe supports only TextEmbedder and TextClassifier with "
            "single texts and a lower-casing WordPiece tokenizer. Received: "
            f"{type(task).__name__} with the inputs "
            f"{' and '.join(task.text_inputs)}, with a tokenizer of kind "
            f"{settings.kind!r}, lowercase={is_lowercase}. Write the file "
            "that takes ids: files=['ids']."
        )
    tokens = [*_prompt(task), *_tokens(task.preprocess.tokenizer(["a"]))]
    if [*_tokens(*task.preprocess.tokenize(["a"]))] != tokens:
        raise ValueError(
            "For MediaPipe, the default prompt must end with a space, "
            "because it is tokenized without the text. Received: the prompt "
            f"{task.preprocess.prompt!r}."
        )


def mediapipe_function(task):
    """Create a `tf.function` that takes the ids of MediaPipe's tokenizer.

    MediaPipe passes one text with [CLS] and [SEP] and never truncates it. The
    function replaces these two tokens by the prompt and the special tokens of
    the task, and truncates the text. It returns only the output that MediaPipe
    reads.
    """
    prompt = _prompt(task)

    def answer(ids, mask, segment_ids):
        tokens = tf.concat([prompt, ids[0, 1:-1]], axis=0)
        tokens = tf.RaggedTensor.from_row_lengths(
            tokens, [tf.size(tokens)], validate=False
        )
        inputs = task.preprocess.rows(tokens).inputs
        inputs = {name: inputs[name][tf.newaxis] for name in task.input_names}
        return {_output(task): task.predict_ids(inputs)[_output(task)]}

    signature = [tf.TensorSpec([None, None], tf.int32, n) for n in _INPUTS]
    return constant_function(task.model, answer, signature)


def mediapipe_samples(task, columns):
    """Return the model inputs that MediaPipe creates from texts.

    Returns:
        A list with a dict of int32 arrays `(1, num_tokens)` for each text.
    """
    rows = [[0, *row, 0] for row in task.preprocess.tokenizer(*columns).numpy()]
    rows = [np.array([row], np.int32) for row in rows]
    values = (lambda row: row, np.ones_like, np.zeros_like)
    return [
        {name: value(row) for name, value in zip(_INPUTS, values, strict=True)}
        for row in rows
    ]


def with_metadata(task, flatbuffer):
    """Add the metadata of MediaPipe to a TFLite file (bytes).

    The metadata contains the names of the tensors and of the vocabulary and
    label files in the archive.

    References:
        [Schema](https://github.com/google-ai-edge/mediapipe/blob/master/mediapipe/tasks/metadata/metadata_schema.fbs)
    """
    from ai_edge_litert import schema_py_generated as schema

    model = schema.ModelT.InitFromPackedBuf(flatbuffer)
    (graph,) = model.subgraphs
    # A tensor is named like "serving_default_input_ids:0".
    names = [graph.tensors[n].name.decode() for n in graph.inputs]
    names = [_INPUTS[n.split(":")[0].split("default_")[1]] for n in names]
    model.buffers.append(schema.BufferT(_metadata(task, names)))
    model.metadata.append(
        schema.MetadataT("TFLITE_METADATA", len(model.buffers) - 1)
    )
    builder = _Builder()
    builder.Finish(model.Pack(builder), file_identifier=b"TFL3")
    return bytes(builder.Output())


class _Builder(flatbuffers.Builder):
    """Builder that aligns vectors to 16 bytes, as TFLite requires."""

    def StartVector(self, elemSize, numElems, alignment):  # noqa: N802, N803
        return super().StartVector(elemSize, numElems, max(alignment, 16))


def _metadata(task, input_names):
    """Return the metadata as a uint8 array. Dict keys are field numbers."""
    vocabulary = {0: VOCABULARY, 2: _VOCABULARY_FILE}
    output = {0: _output(task)}
    if output[0] == "probabilities":
        output[6] = [{0: LABELS, 2: _LABELS_FILE}]
    graph = {
        2: [{0: name} for name in input_names],
        3: [output],
        5: [{0: _BERT_TOKENIZER, 1: {0: [vocabulary]}}],
    }
    builder = flatbuffers.Builder()
    builder.Finish(
        _add(builder, {0: type(task).__name__, 3: [graph]}),
        file_identifier=b"M001",
    )
    return np.frombuffer(builder.Output(), np.uint8)


def _add(builder, value):
    """Add a string, a list or a table (dict) and return its offset."""
    if isinstance(value, str):
        return builder.CreateString(value)
    if isinstance(value, list):
        offsets = [_add(builder, each) for each in value]
        builder.StartVector(4, len(offsets), 4)
        for offset in reversed(offsets):
            builder.PrependUOffsetTRelative(offset)
        return builder.EndVector()
    fields = {
        number: x if isinstance(x, int) else _add(builder, x)
        for number, x in value.items()
    }
    builder.StartObject(1 + max(value))
    for number, x in value.items():
        if isinstance(x, int):
            builder.PrependUint8Slot(number, x, 0)
        else:
            builder.PrependUOffsetTRelativeSlot(number, fields[number], 0)
    return builder.EndObject()


def _output(task):
    return next((name for name in _OUTPUTS if name in task.output_names), None)


def _tokens(ragged):
    return ragged.flat_values.numpy()


def _prompt(task):
    return _tokens(*task.preprocess.tokenize([""]))
