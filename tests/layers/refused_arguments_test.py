import numpy as np
import pytest

from keras_bert import layers

_IDS = np.ones((2, 4), "int32")
_STATES = np.ones((2, 4, 8), "float32")
_LONG = np.ones((1, 101, 8), "float32")


def _bert(vocab_size=9, hidden_size=8, max_position_embeddings=6, **arguments):
    return layers.BertEmbeddings(
        vocab_size, hidden_size, max_position_embeddings, **arguments
    )


def _block_sparse(**arguments):
    return layers.BlockSparseAttention(8, 2, block_size=4, **arguments)


def _masked(shape):
    mask = np.ones(shape, "int32")
    return layers.TransformerEncoderBlock(8, 2, 16)(_STATES, mask)


def _packed(attention):
    numbers = np.ones(_LONG.shape[:2], "int32")
    return attention(_LONG, context={"text_numbers": numbers})


def _sublayers():
    return layers.SelfAttention(8, 2), layers.FeedForward(8, 16)


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: _bert(vocab_size=0), "`vocab_size`.*vocab_size=0"),
        (lambda: _bert(hidden_size=1.5), "hidden_size=1.5"),
        (lambda: _bert(max_position_embeddings=True), "=True"),
        (lambda: _bert(type_vocab_size=None), "_vocab_size=None"),
        (lambda: _bert(dropout=1), "`dropout` must be .*dropout=1"),
        (
            lambda: _bert()(np.ones((2, 7), "int32")),
            r"`input_ids` must be 1 to 6 .* is 6. Received: shape \(2, 7",
        ),
        (lambda: _bert()(_IDS[:, :0]), r"must be 1 to 6 .*shape \(2, 0"),
        (
            lambda: layers.RobertaEmbeddings(9, 8, 5)(_IDS),
            "`input_ids` must be 1 to 3 .*4",
        ),
        (
            lambda: _bert()(_IDS, _IDS[:, :3]),
            r"`segment_ids` must .*\(2, 4\).*\(2, 3",
        ),
        (
            lambda: _bert()(_IDS, positions=_IDS[:, :3]),
            r"`positions` must .*\(2, 4\).*\(2, 3",
        ),
        (lambda: layers.RobertaEmbeddings(9, 8, pad_id=-1), "`pad_id`.*=-1"),
        (lambda: layers.FactorizedEmbeddings(_bert(), 0), "hidden_size=0"),
        (
            lambda: layers.CharacterEmbeddings(0, 3, ((1, 2),), 5),
            "num_characters=0",
        ),
        (
            lambda: _block_sparse(num_random_blocks=0),
            "`num_random_blocks` must be an int.*=0",
        ),
        (
            lambda: layers.BlockSparseAttention(8, 2, 2.5),
            "`block_size` must be an integer, at least 1.*=2.5",
        ),
        (
            lambda: _block_sparse(random_blocks="all"),
            "one of published, transf.*'all'",
        ),
        (lambda: _block_sparse(max_positions=0), "`max_positions` must .*=0"),
        (lambda: _block_sparse(seed=-1), "`seed` must .*at least 0.*=-1"),
        (
            lambda: _block_sparse(max_positions=100)(_LONG),
            "from 1 to 100. .*seq_length=101",
        ),
        (lambda: _packed(_block_sparse()), "Packed sequences are not supp"),
        (
            lambda: layers.ConvolvedBlock(*_sublayers(), kernel_size=2),
            "must be an odd.*=2",
        ),
        (lambda: layers.DisentangledAttention(8, 2, 1, 9), "num_buckets=1"),
        (lambda: layers.DisentangledAttention(8, 2, 0, 9), "num_buckets=0"),
        (lambda: layers.DisentangledAttention(8, 2, 4, 3), "max_distance=3"),
        (lambda: layers.Dropout(-0.1), "`rate` must be .*rate=-0.1"),
        (
            lambda: layers.Dropout(0.5)(np.ones(3, "float32"), training=True),
            r"two axes. Received: shape \(3,\)",
        ),
        (lambda: layers.DropoutDense(3, 1.0), "`dropout`.*dropout=1.0"),
        (lambda: layers.FeedForward(8, 1.5), "intermediate_size=1.5"),
        (lambda: layers.GlobalTokens(0), "max_tokens=0"),
        (
            lambda: layers.GlobalTokens(2)(_IDS, np.tri(2, 4, 2, "int32")),
            "not be padding.*position 3 of row 0",
        ),
        (lambda: layers.LSTM(0), "units=0"),
        (lambda: layers.RelativeBias(2, 6), "multiple of 4.*num_buckets=6"),
        (lambda: layers.ReplacedTokenHead(0), "hidden_size=0"),
        (lambda: layers.Rotary(0), "must be .*=0"),
        (lambda: layers.ScalarMix(0), "num_layers=0"),
        (
            lambda: layers.ScalarMix(4).build((3, 5, 2, 8)),
            r"4, hidden.*shape \(3, 5, 2, 8\)",
        ),
        (lambda: layers.SelfAttention(8, 3), "hidden_size=8, num_heads=3"),
        (lambda: layers.SelfAttention(8, 2.0), "`num_heads`.*num_heads=2.0"),
        (
            lambda: layers.SelfAttention(8, 2, output_dropout=-1),
            "output_dropout=-1",
        ),
        (
            lambda: layers.SelfAttention(8, 2, pattern="causal"),
            "pattern='causal'",
        ),
        (
            lambda: layers.SlidingWindowAttention(8, 2, 3),
            "must be an even.*window=3",
        ),
        (
            lambda: layers.SpanBoundaryHead(_bert(), max_span_length=0),
            "max_span_length=0",
        ),
        (lambda: layers.TaskHead(0), "num_outputs=0"),
        (lambda: layers.TransformerEncoderBlock(8, 2, 0), "_size=0"),
        (
            lambda: layers.TransformerEncoderBlock(
                8, 2, 16, attention_dropout=2.0
            ),
            "=2.0",
        ),
        (lambda: layers.Window(0), "must be .*=0"),
        (lambda: _masked((2, 1)), r"`attention_mask` must .*\(2, 4\).*\(2, 1"),
        (lambda: _masked((2, 4, 4)), r"`attention_mask` must .*\(2, 4, 4"),
    ],
)
def test_a_wrong_argument_is_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()


@pytest.mark.parametrize(
    "arguments, words",
    [
        ({"num_head": 4}, "has no argument `num_head`. Did you mean `num_hea"),
        ({"zzz": 4}, "`zzz`. Its arguments are "),
        ({"num_heads": 4}, "missing .* 'hidden_size'"),
    ],
)
def test_an_unknown_or_missing_argument_is_named_with_the_class(
    arguments, words
):
    with pytest.raises(TypeError, match=f"`TransformerEncoderBlock`.*{words}"):
        layers.TransformerEncoderBlock(**arguments)
