"""Arguments and files that embedders refuse, before anything is written."""

import keras
import numpy as np
import pytest

from keras_bert import losses
from keras_bert import tasks
from keras_bert.checkpoints import CheckpointError
from keras_bert.export import export_onnx
from keras_bert.tasks import TextEmbedder
from keras_bert.tasks.embeddings.examples import embedding_examples
from tests import tiny
from tests.tasks.embeddings.conftest import change_json

_EYE = np.eye(2)
_SAME = {"q": ["d", "d"]}
_PAIRS = [("the dog eats", "meat"), ("the cat sees", "a fish")]
_TWO = [("a", "b")] * 2
_ONE_POSITIVE = [("a", "x"), ("b", "x")]
_ONE_ANCHOR = [("a", "x"), ("a", "y")]
_DATA = {"pairs": _PAIRS, "scored": (_PAIRS, [5.0, 1.0])}
_BOTH = dict.fromkeys(_DATA)
_TRIPLES = [("a", "b", "c")] * 2
_UNEVEN, _NAN = [[1, 2], [3]], np.array([[1, 2], [1, np.nan]])
_COSENT = losses.CoSENTLoss()
_WIDE = losses.MatryoshkaLoss(losses.TripletLoss(), [8, 17])


@pytest.fixture(scope="module")
def embedder():
    return TextEmbedder(tiny.make_bert())


def _make(embedder, **arguments):
    TextEmbedder(embedder.pretrained, **arguments)


def _prompted(embedder, **arguments):
    arguments = {"prompts": {"a": "the cat "}, **arguments}
    return TextEmbedder(embedder.pretrained, **arguments)


def _embed(embedder, prompt, **arguments):
    TextEmbedder(embedder.pretrained, **arguments).embed(["a"], prompt=prompt)


def _save(embedder, format="keras", **arguments):
    embedder = TextEmbedder(embedder.pretrained, **arguments)
    embedder.save("saved", format=format)


def _onnx(embedder):
    export_onnx(_prompted(embedder, default_prompt_name="a"), "onnx")


def _serve(embedder, **arguments):
    embedder.export_saved_model("served", **arguments)


def _fit(embedder, texts=_PAIRS, labels=None, **arguments):
    embedder.fit(texts, labels, **arguments)


def _examples(embedder, texts, labels=None):
    embedding_examples(embedder.preprocess, texts, labels)


def _static(embedder, dim=8, texts=None):
    embedder.distill_static(dim, texts)


def _denoise(embedder, texts=("a",), **arguments):
    tasks.fit_denoising(embedder, [*texts], **arguments)


def _denoise_other(_):
    tasks.fit_denoising("bert", ["a"])


def _denoise_static(embedder):
    _denoise(embedder.distill_static(2))


def _search(_, queries=_EYE, corpus=_EYE, **arguments):
    tasks.search(queries, corpus, **arguments)


def _compress(_, **arguments):
    tasks.compress_vectors(np.ones((4, 16)), **arguments)


class _Equal:
    """Embedder with one vector for all texts, and a ranker of none."""

    def embed_query(self, texts):
        return np.ones((len(texts), 2), np.float32)

    embed_document = embed_query

    def predict(self, pairs):
        return [np.nan] * len(pairs)


def _mine(_, pairs=_PAIRS, output_file="mined.jsonl", **arguments):
    tasks.mine_hard_negatives(_Equal(), pairs, output_file, **arguments)


def _data(_, corpus=None, relevance=None):
    relevance = {"q": {"d": 1}} if relevance is None else relevance
    tasks.RetrievalData({"q": "x"}, corpus or {"d": "x"}, relevance)


def _pairs(_, pairs, corpus=()):
    tasks.RetrievalData.from_pairs(pairs, corpus)


def _metrics(_, rankings):
    tasks.retrieval_metrics(rankings, {"q": {"d": 1}})


@pytest.mark.parametrize(
    ("call", "arguments", "message"),
    [
        (_make, {"pooling": ["mean", "mode"]}, "`pooling` must.*'mode'"),
        (_make, {"pooling": []}, r"`pooling` must be one of .*\[\]"),
        (_make, {"truncate_dim": 17}, "`truncate_dim` must be .* from 1 to 16"),
        (_make, {"similarity": "euclidean"}, "one of cosine, dot.*'euclid"),
        (_make, {"dense": [3]}, "`dense` must be.*Received: 3"),
        (_make, {"prompts": ["a"]}, "must be a dict.*'a'"),
        (_make, {"prompts": {"query": 3}}, "must be a dict.*3"),
        (_make, {"default_prompt_name": "x"}, "must be one of None. .*'x'"),
        (_prompted, {"default_prompt_name": "x"}, "one of None, a. .*'x'"),
        (_embed, {"prompt": "x"}, r"none yet.*pass prompts=.*='x'\.$"),
        (_embed, {"prompt": "x", "prompts": {"a": "b"}}, r"\(a\).*'x'"),
        (_save, {"format": "tf1"}, "format='tf1'"),
        (_onnx, {}, "cannot add a prompt.*'the cat '"),
        (_serve, {"dimensions": 17}, "`dimensions` .*integer from 1 to 16.*17"),
        (_compress, {"dimensions": 17}, "integer from 1 to 16.*17"),
        (_compress, {"precision": "int4"}, "float32, int8, binary.*'int4'"),
        (_compress, {"dimensions": 12, "precision": "binary"}, "of 8.*=12"),
        (_fit, {"loss": _COSENT}, "CoSENTLoss.*no labels"),
        (_fit, {"loss": "mse"}, "keras_bert.losses.*'mse'"),
        (_fit, {"labels": [[1, 0]] * 2}, r"Pass a loss.*shape \(2,\)"),
        (_fit, {"batch_size": 1}, "least 2.*batch_size=1, 2 ex"),
        (_fit, {"texts": _PAIRS[:1]}, "least 2.*batch_size=32, 1 ex"),
        (_fit, {"validation_data": ("a", [1], 3)}, "tuple of 3"),
        (_fit, {"validation_data": (["a"], [[1, 0]])}, "single texts"),
        (_fit, {"texts": _ONE_POSITIVE}, "2 examples with one positive"),
        (_fit, {"texts": _ONE_ANCHOR}, "2 examples with one anchor"),
        (_fit, {"labels": [1, 1], "loss": _COSENT}, "2 .* one label"),
        (_fit, {"texts": _TRIPLES, "loss": _WIDE}, r"16.*dims=\[8, 17\]"),
        (_fit, {"label_smoothing": 0.1}, "label_smoothing=0.1"),
        (_fit, {"mini_batch_size": 0}, "at least 1. .*mini_batch_size=0"),
        (_fit, {"mini_batch_size": 2, "parallel_parts": 2}, "parallel_parts"),
        (_fit, {"texts": _DATA, "loss": {"scored": None}}, "keys.*'pairs', "),
        (_fit, {"loss": {"a": None}}, "list or labels"),
        (_fit, {"texts": _DATA, "labels": [1], "loss": _BOTH}, "or labels"),
        (_fit, {"texts": _DATA, "loss": _BOTH}, "'scored': .*-1 to 1.*5.0 at"),
        (_examples, {"texts": []}, r"Received: .*\[\]"),
        (_examples, {"texts": "ab"}, "must be a list. Received: 'ab'"),
        (_examples, {"texts": ["ab"]}, "pairs or triplets.*'ab' at index 0"),
        (_examples, {"texts": [*_TWO, ("c",)]}, r"\('c',\) at index 2"),
        (_examples, {"texts": _TWO, "labels": [1]}, "2 examples, 1 labels"),
        (_examples, {"texts": _TWO, "labels": ["x", 1]}, "number.*'x' at .* 0"),
        (_examples, {"texts": _TWO, "labels": _UNEVEN}, r"\[3\] at index 1"),
        (_examples, {"texts": _TWO, "labels": _NAN}, r"nan\] at index 1"),
        (_static, {"dim": 17}, "`dim` must be an integer from 1 to 16.*=17"),
        (_static, {"texts": ["", "zebra"]}, "contain words.*: 2 texts"),
        (_static, {"texts": ["a", None]}, "index 1"),
        (_denoise_other, {}, "must be a TextEmbedder. Received: 'bert'"),
        (_denoise_static, {}, "masked-LM.*Received: Static"),
        (_denoise, {"texts": []}, "must not be empty"),
        (_denoise, {"texts": ["a", 1]}, "`texts` must be str.*1 at index 1"),
        (_denoise, {"deletion_ratio": 1.0}, "below 1.*deletion_ratio=1.0"),
        (_search, {"queries": _EYE[0]}, r"`query_vectors`.*shape \(2,\)"),
        (_search, {"corpus": np.eye(2, dtype=int)}, "`corpus_vec.*int64"),
        (_search, {"corpus": np.eye(3)}, r"shapes \(3, 3\) and \(2, 2\)"),
        (_search, {"corpus": np.empty((0, 2))}, "at least one row"),
        (_search, {"top_k": 0}, "top_k=0"),
        (_search, {"similarity": "l2"}, "cosine, dot.*'l2'"),
        (_search, {"queries": _EYE * np.nan}, "`query_vec.*nan in row 0"),
        (_search, {"queries": _EYE * 1e30}, "`query_vec.*inf in row 0"),
        (_mine, {"pairs": []}, r"pairs=\[\]"),
        (_mine, {"pairs": ["a", "b"]}, "must be pairs.*'a' at index 0"),
        (_mine, {"num_negatives": 0}, "num_negatives=0"),
        (_mine, {"range_min": 2, "range_max": 4}, "at least 5. .*range_max=4"),
        (_mine, {"margin": -1}, "margin=-1"),
        (_mine, {"relative_margin": np.nan}, "relative_margin=nan"),
        (_mine, {"margin": 3}, "exclude all negatives.*'margin': 3"),
        (_mine, {"output_file": "mined.tsv"}, "'mined.tsv'"),
        (_mine, {"corpus": "seeds"}, "must be a list.*'seeds'"),
        (_mine, {"ranker": 3}, "`ranker` must be an object.*ranker=3"),
        (_mine, {"ranker": _Equal()}, "ranker.predict.*finite score.*nan"),
        (_data, {"relevance": {"q": {"e": 1}}}, "'q' .*documents .'e'"),
        (_data, {"relevance": {"r": {"d": 1}}}, "the query 'r'"),
        (_data, {"relevance": {"q": {"d"}}}, "Received: {'d'} for 'q'"),
        (_data, {"relevance": {}}, "grade above 0. Received: 0 queries"),
        (_data, {"corpus": {"d": None}}, "`corpus` .*: None for 'd'"),
        (_data, {"corpus": ["x"]}, r"`corpus` must be a dict.*\['x'\]"),
        (_pairs, {"pairs": ["q"]}, "must be pairs"),
        (_pairs, {"pairs": _TWO, "corpus": ["c", None]}, "None at index 1"),
        (_metrics, {"rankings": {}}, "distinct documents.*'q'"),
        (_metrics, {"rankings": _SAME}, "distinct documents.*'q'"),
        (_metrics, {"rankings": [["d"]]}, "`rankings` must be a dict"),
    ],
)
def test_refused_arguments(
    embedder, tmp_path, monkeypatch, call, arguments, message
):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=message):
        call(embedder, **arguments)
    assert not [*tmp_path.iterdir()]


def test_refused_activation(embedder, tmp_path):
    dense = keras.layers.Dense(2, activation="softplus")
    with pytest.raises(ValueError, match="Received: 'softplus'"):
        _save(embedder, dense=[dense])


_POOLING = "1_Pooling/config.json"
_DENSE = "2_Dense/config.json"
_NORMALIZE = "3_Normalize/config.json"
_MODEL = "config_sentence_transformers.json"
_ENCODER = "sentence_bert_config.json"


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        (_POOLING, {"pooling_mode": ["cls", "x"]}, "cls and x"),
        (_POOLING, {"pooling_mode": []}, "must be of cls, max"),
        (_POOLING, {"weights": [1.0]}, r"`weights` must be absent.*\[1.0\]"),
        (_POOLING, {"word_embedding_dimension": 8}, "size, 16. Received: 8"),
        (_DENSE, {"in_features": 8}, "`in_features` must be 16. Received: 8"),
        (_DENSE, {"out_features": None}, r"must have .*\(None, 16\)"),
        (_DENSE, {"use_residual": True}, "`use_residual` must be False"),
        (_DENSE, {"module_input_name": "x"}, "sentence_embedding.*'x'"),
        (_DENSE, {"rank": 3}, "`rank` must be absent"),
        (_DENSE, {"activation_function": "os.system"}, "ed: 'os.system'"),
        (_DENSE, {"bias": False}, "Received the shapes: .*linear.bias"),
        (_NORMALIZE, {"module_input_name": "x"}, "sentence_embedding.*'x'"),
        (_MODEL, {"matryoshka": 3}, "`matryoshka` must be absent.*: 3"),
        (_MODEL, {"prompts": ["a"]}, f"{_MODEL}: .*must be a dict.*'a'"),
        (_ENCODER, {"transformer_task": "fill-mask"}, "feature-extraction.*'f"),
        (_ENCODER, {"query_length": 32}, "`query_length` must be absent.*: 32"),
    ],
)
def test_refused_settings(sentence_directory, name, changes, message):
    directory = sentence_directory("Pooling Dense Normalize")
    path = directory / name
    path.parent.mkdir(exist_ok=True)
    change_json(path, **changes)
    with pytest.raises(CheckpointError, match=message):
        TextEmbedder.from_pretrained(directory)


_KINDS = "sentence_transformers.models"


@pytest.mark.parametrize(
    ("kinds", "content", "message"),
    [
        (f"Pooling {_KINDS}.LSTM", None, "all of sentence_t.*: .*LSTM\\."),
        ("Pooling my_code.Dense", None, "Received: .*, my_code.Dense\\."),
        ("", None, "then any Dense.*Received: Transformer\\."),
        ("Pooling Normalize Dense", None, "Transformer, Pooling, Normalize, D"),
        ("Pooling", "{", "must list modules"),
        ("Pooling", '[{"path": ""}]', "must list modules"),
        ("Pooling", "3", "must list modules"),
    ],
)
def test_refused_modules(sentence_directory, kinds, content, message):
    directory = sentence_directory(kinds)
    if content is not None:
        (directory / "modules.json").write_text(content)
    with pytest.raises(CheckpointError, match=message):
        TextEmbedder.from_pretrained(directory)


def test_a_missing_file_is_named(sentence_directory):
    directory = sentence_directory("Pooling Dense")
    (directory / "2_Dense/config.json").unlink()
    with pytest.raises(CheckpointError, match="2_Dense/config.json"):
        TextEmbedder.from_pretrained(directory)


def test_a_route_needs_a_router(embedder, sentence_directory, tmp_path):
    embedder.save(tmp_path / "own")
    for directory in sentence_directory(), tmp_path / "own":
        with pytest.raises(CheckpointError, match="a Router .*route='q'"):
            TextEmbedder.from_pretrained(directory, route="q")
