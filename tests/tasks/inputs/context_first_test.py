"""XLNet's question answering: the context first, and <cls> at the end."""

import numpy as np
import pytest
import tensorflow as tf

import keras_bert
from keras_bert.checkpoints import PretrainedModel
from keras_bert.tasks.inputs.answer_windows import WindowSizes
from keras_bert.tasks.inputs.answer_windows import answer_labels
from tests import tiny

_CONTEXT = "word1 word2 word3 word4 word5 word6 word7 word8 word9"
_PAIRS = [("word9 word8", _CONTEXT), ("word1", "word2 word3"), ("", "word5")]


@pytest.fixture
def answerer(make_settings_of):
    settings = make_settings_of("xlnet")
    config = tiny.config("xlnet", V=len(settings.vocabulary), P=64)
    model = tiny.widened(PretrainedModel.from_config(config, settings))
    sizes = {"seq_length": 12, "doc_stride": 3, "max_query_length": 3}
    task = keras_bert.QuestionAnswerer(model, **sizes)
    random = np.random.default_rng(5)
    for weight in task.model.trainable_weights:
        weight.assign(random.normal(0.0, 0.3, weight.shape))
    task.null_threshold = 0.0
    return task


def _words(answerer, ids):
    return " ".join(
        answerer.preprocess.tokenizer.vocabulary.tokens[n] for n in ids
    )


def test_the_context_comes_first(answerer):
    encoded = answerer._encode(_PAIRS[1:2])
    inputs = encoded.rows.inputs(np.arange(1))
    length = int(encoded.rows.lengths[0])
    words = _words(answerer, inputs["input_ids"][0][:length])
    assert words == "▁word2 ▁word3 <sep> ▁word1 <sep> <cls>"
    segments = inputs["segment_ids"][0][:length].tolist()
    assert segments == [0, 0, 0, 1, 1, 2]


def test_a_question_without_an_answer_points_to_cls():
    sizes = WindowSizes(10, 3, 2, num_special=3, context_first=True)
    windows = sizes.windows(2, 7)
    assert windows.starts.tolist() == [0, 3]
    assert windows.cls_positions.tolist() == [9, 8]
    assert answer_labels(windows, None).tolist() == [[9, 8], [9, 8]]
    assert answer_labels(windows, (5, 6)).tolist() == [[9, 2], [9, 3]]


def test_the_graph_answers_as_the_host_does(answerer):
    logits = answerer._logits(answerer._encode(_PAIRS))
    answers = answerer.predict(_PAIRS)
    assert {answer["answer"] == "" for answer in answers} == {True, False}
    served = answerer.predict_texts(*map(tf.constant, zip(*_PAIRS)))
    for text, score, answer, windows in zip(
        served["answer"].numpy(), served["score"], answers, logits, strict=True
    ):
        assert text.decode() == answer["answer"]
        np.testing.assert_allclose(score, answer["score"], atol=1e-5)
        # The last token of a window is <cls>.
        null = min(row[-1].sum() for row in windows)
        if not answer["answer"]:
            np.testing.assert_allclose(answer["score"], null, atol=1e-5)


@pytest.mark.parity
def test_logits_are_those_of_transformers(answerer, tmp_path):
    """Pad on the left and pass the context first, as `run_qa.py` does."""
    import torch
    import transformers

    answerer.save(tmp_path, format="hf")
    cls = transformers.XLNetForQuestionAnsweringSimple
    model = cls.from_pretrained(tmp_path).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(tmp_path)
    assert tokenizer.padding_side == "left"
    question, context = _PAIRS[1]
    rows = tokenizer(
        context,
        question,
        padding="max_length",
        max_length=12,
        return_tensors="pt",
        return_token_type_ids=True,
    )
    with torch.inference_mode():
        theirs = model(**rows)
    ours = answerer._logits(answerer._encode([_PAIRS[1]]))[0][0]
    for column, their in enumerate((theirs.start_logits, theirs.end_logits)):
        np.testing.assert_allclose(
            ours[:, column], their[0, -len(ours) :].numpy(), atol=1e-4
        )
