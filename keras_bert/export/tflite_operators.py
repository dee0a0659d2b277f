"""Ops that a TFLite file needs."""

import collections

from keras_bert.export.served_ops import TOKENIZER_OPS


def text_operators(kind):
    """Names the custom ops that a file which takes strings may need.

    There are none for a tokenizer that also needs ops of TensorFlow, which
    TFLite lacks.
    """
    ops = TOKENIZER_OPS[kind]
    both = *ops.text, "RaggedTensorToTensor"
    return frozenset(both if ops.in_tflite else ())


def operators(flatbuffer):
    """Counts the ops of a TFLite file.

    Returns:
        Two `collections.Counter`s by name: of built-in ops, such as
        "FULLY_CONNECTED", and of custom ones. The ops of TensorFlow itself
        are custom ones whose names begin with "Flex".
    """
    from ai_edge_litert import schema_py_generated as schema

    names = {
        number: name
        for name, number in vars(schema.BuiltinOperator).items()
        if not name.startswith("_")
    }
    model = schema.Model.GetRootAs(flatbuffer)
    codes = [model.OperatorCodes(n) for n in range(model.OperatorCodesLength())]
    built_in, custom = collections.Counter(), collections.Counter()
    for number in range(model.SubgraphsLength()):
        graph = model.Subgraphs(number)
        for place in range(graph.OperatorsLength()):
            code = codes[graph.Operators(place).OpcodeIndex()]
            if code.CustomCode() is None:
                # Old files have the number in the narrower field.
                index = max(code.BuiltinCode(), code.DeprecatedBuiltinCode())
                built_in[names[index]] += 1
            else:
                custom[code.CustomCode().decode()] += 1
    return built_in, custom


def check_operators(flatbuffer, allowed, advice):
    """Raises ValueError, with advice, if a file needs ops not allowed."""
    _, custom = operators(flatbuffer)
    missing = sorted({*custom} - {*allowed})
    if missing:
        raise ValueError(
            "A TFLite file must do with TFLite's built-in ops"
            f"{' and those of tensorflow-text' if allowed else ''}. "
            f"Received: a task that needs {', '.join(missing)}. {advice}"
        )
