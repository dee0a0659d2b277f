"""Other libraries load ONNX directories and TFLite files, and answer as Python.

`make test-loaders` runs these tests in an environment of their own, because
optimum needs older versions of some packages.
"""

import keras
import numpy as np
import pytest

from keras_bert import tasks
from keras_bert.export import export_onnx
from keras_bert.export import export_tflite
from tests.export.conftest import TASKS
from tests.export.conftest import columns

pytestmark = [pytest.mark.loaders, pytest.mark.filterwarnings("ignore")]

_TEXTS = ["a dog eats meat", "the cat", "the bird sees a fish. " * 9]
_PACKED = pytest.mark.parametrize("packed", [False, True])


@pytest.fixture(scope="module")
def export(make_bert, tmp_path_factory):
    """Return a function that exports a task to a new directory."""
    keras.utils.set_random_seed(7)
    bert = make_bert(initializer_range=0.5)
    made = {}

    def export(name, packed):
        if (name, packed) not in made:
            task = TASKS[name](bert)
            directory = tmp_path_factory.mktemp(name) / "onnx"
            export_onnx(task, directory, packed=packed)
            made[name, packed] = task, str(directory)
        return made[name, packed]

    return export


def _check(found, expected):
    np.testing.assert_allclose(np.stack([*found]), expected, atol=1e-5)


@pytest.mark.parametrize("activation", ["sigmoid", "linear"])
def test_cross_encoder(make_bert, tmp_path, activation):
    import sentence_transformers

    bert = make_bert(initializer_range=0.5)
    ranker = tasks.PairRanker(bert, activation=activation)
    export_onnx(ranker, tmp_path / "onnx")
    model = sentence_transformers.CrossEncoder(
        str(tmp_path / "onnx"), backend="onnx", device="cpu"
    )
    pairs = [*zip(_TEXTS, ["a bird", "the dog eats", "fish"])]
    _check(model.predict(pairs), ranker.predict(pairs))


def _check_embedder(embedder, folder, texts, **options):
    """Check an export in sentence-transformers, and return the model."""
    import sentence_transformers

    export_onnx(embedder, folder / "onnx", **options)
    model = sentence_transformers.SentenceTransformer(
        str(folder / "onnx"), backend="onnx", device="cpu"
    )
    _check(model.encode(texts), embedder.embed(texts))
    return model


_SETTINGS = {
    "cls": {"pooling": "cls"},
    "max": {"pooling": "max", "seq_length": 6},
    "dense": {"dense": [keras.layers.Dense(4, "tanh")], "normalize": True},
    "prompts": {"prompts": {"query": "a dog "}, "include_prompt": False},
}


@pytest.mark.parametrize("name", _SETTINGS)
def test_settings_of_embedders(make_bert, tmp_path, name):
    bert, settings = make_bert(initializer_range=0.5), _SETTINGS[name]
    embedder = tasks.TextEmbedder(bert, **settings)
    texts = [*_TEXTS, "A DOG [SEP] the cat"]
    model = _check_embedder(embedder, tmp_path, texts)
    for prompt in settings.get("prompts", {}):
        found = model.encode(texts, prompt_name=prompt)
        _check(found, embedder.embed(texts, prompt=prompt))


@_PACKED
@pytest.mark.parametrize(
    "family", ["albert", "bert", "roberta", "xlm-roberta", "xlnet"]
)
def test_embedders_of_families(make_family, tmp_path, family, packed):
    embedder = tasks.TextEmbedder(make_family(family))
    texts = ["word1 word2", "word3", "word4 </s> [SEP] word5"]
    _check_embedder(embedder, tmp_path, texts, packed=packed)


@_PACKED
def test_fastembed(export, packed):
    import fastembed
    from fastembed.common.model_description import ModelSource
    from fastembed.common.model_description import PoolingType

    task, directory = export("embedder", packed)
    name = f"tests/tiny-{packed}"
    fastembed.TextEmbedding.add_custom_model(
        model=name,
        pooling=PoolingType.MEAN,
        normalization=True,
        sources=ModelSource(hf=name),
        dim=task.dim,
        model_file="model.onnx",
    )
    model = fastembed.TextEmbedding(name, specific_model_path=directory)
    _check(model.embed(_TEXTS), task.embed(_TEXTS))


@_PACKED
@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("answerer", "QuestionAnswering"),
        ("classifier", "SequenceClassification"),
        ("of_pairs", "SequenceClassification"),
        ("regressor", "SequenceClassification"),
        ("several", "SequenceClassification"),
        ("tagger", "TokenClassification"),
    ],
)
def test_optimum(export, name, kind, packed):
    import transformers
    from optimum import onnxruntime

    task, directory = export(name, packed)
    tokenizer = transformers.AutoTokenizer.from_pretrained(directory)
    model_class = getattr(onnxruntime, f"ORTModelFor{kind}")
    model = model_class.from_pretrained(directory)
    texts = [*columns(task, ["a dog", "the cat", "a bird eats"]).values()]
    rows = tokenizer(*texts, padding=True, truncation=True, return_tensors="pt")
    outputs = model(**rows)
    rows = {name: x.numpy() for name, x in rows.items()}
    names = {"input_mask": "attention_mask", "segment_ids": "token_type_ids"}
    ids = {
        x: rows.get(names.get(x, x), rows["input_ids"])
        for x in task.input_names
    }
    is_token = rows["attention_mask"].astype(bool)
    expected = task.predict_ids({n: x.astype("int32") for n, x in ids.items()})
    if "score" in expected:
        expected = {"logits": expected["score"][:, None]}
    for key in {"logits", "start_logits", "end_logits"} & {*expected}:
        found, wanted = outputs[key].numpy(), expected[key].numpy()
        if found.shape[:2] == is_token.shape and kind[0] != "S":
            found, wanted = found[is_token], wanted[is_token]
        _check(found, wanted)
        assert np.ptp(wanted) > 1e-3
    if getattr(task, "labels", None):
        labels = [model.config.id2label[n] for n in range(len(task.labels))]
        assert labels == task.labels


@pytest.mark.parametrize("name", ["classifier", "embedder", "several"])
def test_mediapipe(name, make_bert, tmp_path):
    from mediapipe.tasks.python import text

    task = TASKS[name](make_bert(initializer_range=0.5))
    export_tflite(task, tmp_path / "m.tflite", "float32", files=["mediapipe"])
    path = str(tmp_path / "m_mediapipe.tflite")
    if name == "embedder":
        with text.TextEmbedder.create_from_model_path(path) as model:
            vectors = [model.embed(x).embeddings[0].embedding for x in _TEXTS]
        return _check(vectors, task.embed(_TEXTS))
    with text.TextClassifier.create_from_model_path(path) as model:
        (rows,) = zip(
            *(model.classify(x).classifications for x in _TEXTS), strict=True
        )
    names = [{c.category_name: c.score for c in r.categories} for r in rows]
    scores = [[row[label] for label in task.labels] for row in names]
    expected = task.predict_texts(np.array(_TEXTS))["probabilities"]
    _check(scores, expected)
