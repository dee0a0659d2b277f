"""What sentence-transformers wants beside an encoder."""

import functools

from keras_bert import artifacts
from keras_bert.tasks.embeddings.dense_layers import ACTIVATIONS
from keras_bert.tasks.embeddings.dense_layers import activation_name
from keras_bert.tasks.embeddings.dense_layers import write_linear
from keras_bert.tasks.embeddings.sentence_transformers import MODES
from keras_bert.tasks.embeddings.sentence_transformers import MODULE_POOLINGS
from keras_bert.tasks.embeddings.sentence_transformers import MODULES
from keras_bert.tasks.embeddings.sentence_transformers import PACKAGE


def module_files(dim, pooling, dense, normalize, seq_length):
    """What sentence-transformers wants beside an encoder.

    Args:
        dim: int, the size of the vectors that are pooled.
        pooling, dense, normalize, seq_length: as of `TextEmbedder`.

    Returns:
        A dict from names of files in the directory to functions that write
        one to a path.

    Raises:
        ValueError: sentence-transformers has no such pooling or activation.
    """
    if pooling not in MODULE_POOLINGS:
        raise ValueError(
            "sentence-transformers has only the poolings "
            f"{', '.join(MODULE_POOLINGS)}. Received: pooling={pooling!r}. "
            'Save with format="keras".'
        )
    modes = {key: name == pooling for name, key in MODES.items()}
    named = [("", "Transformer"), ("1_Pooling", "Pooling")]
    values = {
        "sentence_bert_config.json": {
            "max_seq_length": seq_length,
            "do_lower_case": False,
        },
        "1_Pooling/config.json": {"word_embedding_dimension": dim, **modes},
    }
    files = {}
    for number, layer in enumerate(dense, 2):
        folder = f"{number}_Dense"
        named.append((folder, "Dense"))
        values[f"{folder}/config.json"] = {
            "in_features": layer.kernel.shape[0],
            "out_features": layer.units,
            "bias": layer.use_bias,
            "activation_function": ACTIVATIONS[activation_name(layer)],
        }
        files[f"{folder}/model.safetensors"] = functools.partial(
            write_linear, layer
        )
    if normalize:
        folder = f"{len(named)}_Normalize"
        named.append((folder, "Normalize"))
        values[f"{folder}/config.json"] = {}
    values[MODULES] = [
        {
            "idx": index,
            "name": str(index),
            "path": folder,
            "type": f"{PACKAGE}.models.{kind}",
        }
        for index, (folder, kind) in enumerate(named)
    ]
    for name, content in values.items():
        files[name] = functools.partial(artifacts.write_json, values=content)
    return files
