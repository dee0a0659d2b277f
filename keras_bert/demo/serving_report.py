"""Whether what the demo exported answers as the model does in Python."""

import json
import subprocess
import sys

import numpy as np

_TOLERANCE = 1e-4


def saved_model_text(directory, program, fill_mask, texts):
    """Asks the SavedModel in a fresh process and compares.

    Args:
        directory: `pathlib.Path`.
        program: `pathlib.Path` of query_saved_model.py.
        fill_mask: `FillMask`, whose answers are expected.
        texts: list of str.

    Returns:
        str, a line.

    Raises:
        ValueError: the answers are others.
    """
    served = subprocess.run(
        [
            sys.executable,
            program,
            f"--model_dir={directory}",
            *(f"--text={text}" for text in texts),
        ],
        stdout=subprocess.PIPE,
        check=True,
    )
    tokens = json.loads(served.stdout)["tokens"]
    for text, answer in zip(texts, tokens):
        expected = [item["token"] for item in fill_mask(text)[0]]
        if answer[0][: len(expected)] != expected:
            raise ValueError(
                f"The SavedModel must answer as Python does. Received: "
                f"{answer[0]} instead of {expected} for {text!r}."
            )
    return (
        f"SavedModel   {directory}, {_megabytes(directory)}: a fresh process "
        "gives the same words"
    )


def tflite_text(path, bert, texts):
    """Runs the TFLite file and compares its vectors.

    Args:
        path: `pathlib.Path`.
        bert: the model that it was made from.
        texts: list of str.

    Returns:
        str, a line.

    Raises:
        ValueError: the vectors are others.
    """
    # Late, so that the manual is there at once.
    import tensorflow_text as tf_text
    from ai_edge_litert.interpreter import InterpreterWithCustomOps

    from keras_bert.tasks import FeatureExtractor

    interpreter = InterpreterWithCustomOps(
        model_path=str(path),
        custom_op_registerers=tf_text.tflite_registrar.SELECT_TFTEXT_OPS,
    )
    found = interpreter.get_signature_runner()(text=np.array(texts))
    encoder = FeatureExtractor(bert)
    expected = encoder.predict_ids(encoder.preprocess(texts))
    difference = 0.0
    for name, vectors in found.items():
        # The file's rows are no longer than the longest text.
        rows = expected[name].numpy()[tuple(map(slice, vectors.shape))]
        difference = max(difference, np.abs(vectors - rows).max())
    if not difference < _TOLERANCE:
        raise ValueError(
            f"The TFLite file must give Python's vectors to {_TOLERANCE}. "
            f"Received: a difference of {difference}."
        )
    return (
        f"TFLite       {path}, {_megabytes(path)}: the same vectors to "
        f"{difference:.0e}"
    )


def _megabytes(path):
    files = [path] if path.is_file() else path.rglob("*")
    size = sum(file.stat().st_size for file in files if file.is_file())
    return f"{size / 1e6:.1f} MB"
