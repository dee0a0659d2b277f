"""Runs a TFLite file in this process."""


def signature_runner(flatbuffer, has_text):
    """A function of a file, on one thread.

    Args:
        flatbuffer: bytes.
        has_text: bool, whether it needs the ops of tensorflow-text.

    Returns:
        A function from arrays by the names of the inputs to a dict of arrays.

    Raises:
        ModuleNotFoundError: the interpreter is not installed.
    """
    from ai_edge_litert import interpreter as litert

    if not has_text:
        return litert.Interpreter(
            model_content=flatbuffer, num_threads=1
        ).get_signature_runner()
    import tensorflow_text as tf_text

    return litert.InterpreterWithCustomOps(
        model_content=flatbuffer,
        custom_op_registerers=tf_text.tflite_registrar.SELECT_TFTEXT_OPS,
        num_threads=1,
    ).get_signature_runner()


def check_interpreter():
    """Raises ModuleNotFoundError if no interpreter is installed."""
    try:
        import ai_edge_litert.interpreter  # noqa: F401
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "A TFLite file is compared with the model that it is made of, "
            "which needs the package ai_edge_litert: "
            "pip install 'keras-bert-tf[tflite]'."
        ) from error
