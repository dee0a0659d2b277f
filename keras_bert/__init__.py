"""BERT for TensorFlow and Keras 3 (arXiv 1810.04805).

Names are loaded when they are first used, so that `import keras_bert` costs
next to nothing and that each part needs only its own dependencies: `layers`
and `models` run on any Keras backend, without TensorFlow. Saved Keras models
that hold our layers or optimizers load after `import keras_bert`.
"""

from keras_bert import lazy
from keras_bert import registration
from keras_bert.version import VERSION as __version__

_MODULES = (
    "checkpoints",
    "data",
    "export",
    "features",
    "layers",
    "models",
    "serving",
    "tasks",
    "text",
    "training",
)
_MEMBERS = {
    "BertConfig": "config",
    "CONFIGS": "locations",
    "CheckpointError": "checkpoints",
    "Ensemble": "tasks",
    "FillMask": "tasks",
    "MultipleChoice": "tasks",
    "QuestionAnswerer": "tasks",
    "TINY_MODEL": "locations",
    "TextClassifier": "tasks",
    "TextEmbedder": "tasks",
    "TextGenerator": "tasks",
    "TextRegressor": "tasks",
    "TokenClassifier": "tasks",
    "from_pretrained": "checkpoints",
    "save_pretrained": "checkpoints",
}

__all__ = ["__version__", *_MODULES, *_MEMBERS]
__getattr__, __dir__ = lazy.attach(__name__, _MODULES, _MEMBERS)

registration.register_with_keras()
