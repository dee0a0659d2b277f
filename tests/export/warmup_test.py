"""Warm-up files as read by TensorFlow Serving."""

import numpy as np
import pytest
import tensorflow as tf
from tensorflow_serving.apis import prediction_log_pb2

from keras_bert.export.saved_model.warmup import WARMUP_FILE
from keras_bert.export.saved_model.warmup import example_requests
from keras_bert.export.saved_model.warmup import write_warmup_requests
from keras_bert.tasks import FillMask
from keras_bert.tasks import MultipleChoice
from keras_bert.tasks import QuestionAnswerer
from keras_bert.tasks import TextClassifier


def _read(directory):
    """Return the requests of a warm-up file, parsed as in the server."""
    records = tf.data.TFRecordDataset(str(directory / WARMUP_FILE))
    for record in records.as_numpy_iterator():
        log = prediction_log_pb2.PredictionLog.FromString(record)
        assert log.WhichOneof("log_type") == "predict_log"
        yield log.predict_log.request


@pytest.mark.parametrize("kind", [FillMask, QuestionAnswerer, MultipleChoice])
def test_a_task_answers_every_request(bert, tmp_path, kind):
    task = kind(bert)
    write_warmup_requests(tmp_path, example_requests(task))
    requests = [*_read(tmp_path)]
    assert len(requests) == 2
    for request, batch_size in zip(requests, (1, 8)):
        assert request.model_spec.signature_name == "serving_default"
        inputs = {
            name: tf.constant(tf.make_ndarray(tensor), tensor.dtype)
            for name, tensor in request.inputs.items()
        }
        texts = [inputs.pop(name) for name in task.text_inputs]
        assert not inputs
        for values in task.predict_texts(*texts).values():
            assert values.shape[0] == batch_size


def test_requests_are_read_back_as_they_were(tmp_path):
    requests = [
        {"text": ["a", "dög", "x" * 70_000], "choices": [["a", "b"]] * 3},
        {"text": np.array([b"\xff\0"], object)},
        {"input_ids": np.arange(6, dtype=np.int32).reshape(2, 3)},
    ]
    write_warmup_requests(tmp_path, requests)
    for request, read in zip(requests, _read(tmp_path), strict=True):
        assert sorted(request) == sorted(read.inputs)
        for name, values in request.items():
            expected = tf.constant(values).numpy()
            array = tf.make_ndarray(read.inputs[name])
            assert array.dtype == expected.dtype
            np.testing.assert_array_equal(array, expected)


def test_lengths_grow_to_the_longest(make_bert):
    bert = make_bert(max_position_embeddings=40)
    task = TextClassifier(bert, labels=["a", "b"], seq_length=40)
    requests = example_requests(task)
    assert [len(x["text"]) for x in requests] == [1, 8] * 3
    num_words = [len(x["text"][0].split()) for x in requests[::2]]
    assert num_words == sorted({*num_words})
    ids = task.preprocess([requests[-1]["text"][0]])["input_mask"]
    assert ids.numpy().sum() <= 40
