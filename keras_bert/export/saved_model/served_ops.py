"""TensorFlow ops that exported graphs may contain."""

import typing


class TokenizerOps(typing.NamedTuple):
    """Ops that a tokenizer type adds to a graph.

    Args:
        text: tuple of str, ops of tensorflow-text.
        core: tuple of str, TensorFlow ops that only this tokenizer needs.
        in_tflite: bool, whether a TFLite file can tokenize plain text with
            only these ops of tensorflow-text.
    """

    text: tuple = ()
    core: tuple = ()
    in_tflite: bool = True


# Lowest release of TensorFlow Serving that runs all ops below.
LEAST_SERVER = "2.12"
_BERT_OPS = "FastBertNormalize", "FastWordpieceTokenizeWithOffsets"
_MERGING_OPS = (
    "BitwiseOr",
    "BitwiseXor",
    "DecodeRaw",
    "LeftShift",
    "LowerBound",
    "RightShift",
    "SegmentMin",
    "StringLength",
)
TOKENIZER_OPS = {
    # The core ops are needed to find added tokens.
    "wordpiece": TokenizerOps(
        text=_BERT_OPS, core=("DecodeRaw", "LowerBound", "StringLength")
    ),
    "bpe": TokenizerOps(_BERT_OPS, _MERGING_OPS, in_tflite=False),
    "byte_bpe": TokenizerOps((), _MERGING_OPS, in_tflite=False),
    "sentencepiece": TokenizerOps(
        text=(
            "FastBertNormalize",
            "TFText>FastSentencepieceTokenize",
            "SentencepieceOp",
            "SentencepieceTokenizeWithOffsetsOp",
        ),
        core=(
            "RegexReplace",
            "StaticRegexReplace",
            "StringLength",
            "DecodeRaw",
            "LowerBound",
        ),
    ),
}
# Ops of TensorFlow that our exports need and that this release has. Test an op
# on that release before adding it.
_CORE_OPS = frozenset(
    """
    Abs AddV2 All Any ArgMax Assert AssignVariableOp BatchMatMulV2 BiasAdd
    Bitcast BitwiseAnd BroadcastTo Cast ConcatV2 Const Cos Cumsum EnsureShape
    Equal Erf Erfc Exp ExpandDims Fill FloorDiv FloorMod GatherV2 Greater
    GreaterEqual Identity IdentityN If IsInf Less LessEqual Log LogicalAnd
    LogicalNot LogicalOr MatMul Max Maximum Mean Minimum Mul Neg NoOp NotEqual
    OneHot Pack Pad Placeholder PlaceholderWithDefault Pow Prod RaggedRange
    Range ReadVariableOp RealDiv ReduceJoin Relu Reshape ReverseV2 Rsqrt
    ScatterNd SelectV2 Shape Sigmoid Sin Size Softmax Split Square Squeeze
    StatelessIf StatelessRandomGetKeyCounter StatelessRandomUniformV2
    StatelessWhile StopGradient StridedSlice StringJoin StringStrip Sub Substr
    Sum Tanh TensorListConcatV2 TensorListFromTensor TensorListGetItem
    TensorListLength TensorListReserve TensorListSetItem TensorListStack
    TensorScatterUpdate Tile TopKV2 Transpose Unpack UnsortedSegmentMax
    UnsortedSegmentMin UnsortedSegmentSum VarHandleOp VarIsInitializedOp Where
    While ZerosLike
    """.split()
)


def graph_ops(graph_def):
    """Return the sorted names of all ops, including ops in functions."""
    nodes = [
        graph_def.node,
        *(function.node_def for function in graph_def.library.function),
    ]
    functions = {f.signature.name for f in graph_def.library.function}
    return sorted({node.op for some in nodes for node in some} - functions)


def check_ops(graph_def, tokenizer_type):
    """Raise ValueError if a graph contains ops that a server may not have."""
    own = TOKENIZER_OPS[tokenizer_type]
    unknown = {*graph_ops(graph_def)} - _CORE_OPS - {*own.text, *own.core}
    if unknown:
        raise ValueError(
            "A SavedModel must contain only operations that were tested on "
            f"TensorFlow Serving {LEAST_SERVER}. Received: {sorted(unknown)}."
        )
