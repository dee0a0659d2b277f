"""Removal of duplicate computations from graph functions."""

_PURE_OPS = frozenset(
    """
    AddV2 BroadcastTo Cast ConcatV2 Const Equal ExpandDims Fill FloorDiv
    FloorMod GatherV2 Greater Less LogicalAnd LogicalNot Maximum Minimum Mul Neg
    Pack Prod Range Reshape SelectV2 Shape Size Squeeze StridedSlice Sub Sum
    Transpose Unpack
    """.split()
)
# Larger constants, such as weights, are rarely equal.
_MOST_BYTES = 1000


def merge_equal_nodes(function):
    """Merge nodes that compute the same values, in place.

    Tracing creates the same small constants and index computations in every
    layer. A server would merge them too, but only after passes over the larger
    graph at its first request.

    Args:
        function: `FunctionDef` of a `GraphDef`.
    """
    first, replaced = {}, {}

    def renamed(name):
        mark = "^" if name.startswith("^") else ""  # A control input.
        node, colon, output = name[len(mark) :].partition(":")
        return f"{mark}{replaced.get(node, node)}{colon}{output}"

    for node in function.node_def:
        node.input[:] = map(renamed, node.input)
        if node.op in _PURE_OPS and node.ByteSize() < _MOST_BYTES:
            same = first.setdefault(_computation(node), node.name)
            if same != node.name:
                replaced[node.name] = same
    kept = [_copy(x) for x in function.node_def if x.name not in replaced]
    del function.node_def[:]
    function.node_def.extend(kept)
    for name, value in [*function.ret.items()]:
        function.ret[name] = renamed(value)


def _computation(node):
    """Return a key (bytes) that is equal for nodes with equal results."""
    node = _copy(node)
    node.ClearField("name")
    node.ClearField("experimental_debug_info")
    return node.SerializeToString(deterministic=True)


def _copy(node):
    copy = type(node)()
    copy.CopyFrom(node)
    return copy
