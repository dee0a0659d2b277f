"""Tiny models of all families with random weights, and all exported tasks."""

import dataclasses

import keras
import pytest

from keras_bert import tasks
from keras_bert.checkpoints import PretrainedModel
from tests import tiny

LABELS = ["O", "B-X", "I-Y"]


def _answerer(model):
    answerer = tasks.QuestionAnswerer(model, max_query_length=3)
    answerer.null_threshold = 0.0
    return answerer


def _late(model):
    return tasks.LateInteractionEmbedder(model, query_length=8)


def _of_pairs(model):
    classifier = tasks.TextClassifier(model, labels=LABELS)
    classifier.settings["is_pair"] = True
    return classifier


# Functions from a `PretrainedModel`.
TASKS = {
    "answerer": _answerer,
    "chooser": tasks.MultipleChoice,
    "classifier": lambda model: tasks.TextClassifier(model, labels=LABELS),
    "embedder": lambda model: tasks.TextEmbedder(model, normalize=True),
    "extractor": tasks.FeatureExtractor,
    "fill_mask": tasks.FillMask,
    "generator": lambda model: tasks.TextGenerator(model, max_new_tokens=2),
    "late": _late,
    "late_queries": lambda model: _late(model).for_queries(),
    "of_features": lambda model: tasks.FeatureTextClassifier(
        model, labels=LABELS
    ),
    "of_pairs": _of_pairs,
    "ranker": tasks.PairRanker,
    "regressor": tasks.TextRegressor,
    "several": lambda model: tasks.TextClassifier(
        model, labels=LABELS, multi_label=True
    ),
    "sparse": tasks.SparseEmbedder,
    "tagger": lambda model: tasks.TokenClassifier(model, labels=LABELS),
    "tags_of_features": lambda model: tasks.FeatureTokenClassifier(
        model, labels=LABELS, lstm_size=4
    ),
}
OF_FEATURES = {"of_features", "tags_of_features"}
# Tasks that can be exported to TFLite.
IN_TFLITE = sorted({*TASKS} - OF_FEATURES - {"generator"})


# Config changes of each family, and of variants with other layers.
FAMILIES = {
    "albert": {},
    "bert": {"hidden_act": "gelu_erf"},
    "bert long": {"attention_window": 4},
    # Full attention up to 28 tokens.
    "big_bird": {"block_size": 4, "num_random_blocks": 1, "P": 1030},
    "deberta": {},
    "deberta-v2": {},
    "deberta-v2 convolution": {"conv_kernel_size": 3},
    "distilbert": {},
    "electra": {},
    "ernie": {"use_task_id": True},
    # The second block has full attention up to 524 tokens.
    "longformer": {"attention_window": (4, 262), "L": 2},
    "modernbert": {"local_attention": 262, "L": 2},
    "mpnet": {},
    "openai-gpt": {},
    "roberta": {},
    "static-embeddings": {},
    "xlm-roberta": {},
    "xlnet": {},
}


@pytest.fixture(scope="session")
def make_family(make_settings_of):
    """Return a function from a name in `FAMILIES` to a `PretrainedModel`."""

    def make(name):
        model_type = name.split()[0]
        if model_type == "static-embeddings":
            teacher = tasks.TextEmbedder(tiny.make_bert())
            return teacher.distill_static(8).pretrained
        settings = make_settings_of(model_type)
        if model_type == "modernbert":
            settings = dataclasses.replace(settings, normalizer="NFC")
        sizes = {"H": 16, "L": 1, "V": len(settings.vocabulary)}
        sizes |= {"P": 602, "initializer_range": 0.3, **FAMILIES[name]}
        config = tiny.config(model_type, **sizes)
        return PretrainedModel.from_config(config, settings)

    return make


def columns(task, texts):
    """Return the inputs of a task for some texts, a dict of columns.

    Second texts are other texts, so that the numbers of tokens differ.
    """
    others = texts[::-1]
    values = {
        "text": texts,
        "text_pair": others,
        "choices": [[text, text[:2]] for text in others],
        "question": others,
        "context": texts,
    }
    return {name: values[name] for name in task.text_inputs}


def run_openvino(task, directory, **options):
    """Export a task and return a function that runs it in OpenVINO."""
    import openvino

    from keras_bert.export import export_openvino

    export_openvino(task, directory, **options)
    precision = {"INFERENCE_PRECISION_HINT": "f32"}
    path = directory / "openvino_model.xml"
    model = openvino.compile_model(path, "CPU", precision)
    names = {
        "input_mask": "attention_mask",
        "segment_ids": "token_type_ids",
        "last_hidden_state": "sequence_output",
        "pooler_output": "pooled_output",
        "sentence_embedding": "embedding",
    }
    known = {tensor.any_name for tensor in model.inputs}

    def run(ids):
        ids = {names.get(k, k): x.astype("int64") for k, x in ids.items()}
        found = model({name: x for name, x in ids.items() if name in known})
        found = {key.any_name: x.copy() for key, x in found.items()}
        return {names.get(key, key): x for key, x in found.items()}

    return run


@pytest.fixture(scope="module")
def bert(make_bert):
    return make_bert()


@pytest.fixture
def narrow_bert(make_bert):
    """Return a bfloat16 BERT, wide enough that its bytes are mostly weights."""
    policy = keras.config.dtype_policy()
    keras.config.set_dtype_policy("mixed_bfloat16")
    yield make_bert(
        max_position_embeddings=40, hidden_size=256, num_hidden_layers=2
    )
    keras.config.set_dtype_policy(policy)
