import pathlib
import typing

import numpy as np

import keras_bert
from keras_bert import checkpoints
from keras_bert.models.family import Family

model = keras_bert.from_pretrained(
    pathlib.Path("bert"), allow_missing=["pooler"], lowercase=True
)
typing.assert_type(model.family, Family)
typing.assert_type(model.smaller(2), checkpoints.PretrainedModel)
typing.assert_type(model.with_tokens(["[X]"]), checkpoints.PretrainedModel)
typing.assert_type(model.sequence_length(), int)
keras_bert.save_pretrained(
    model,
    pathlib.Path("copy"),
    format="hf",
    card={"Training": "None."},
    extras={"notes.txt": lambda path: path.write_text("None.")},
)
config = keras_bert.BertConfig.from_json("bert_config.json")
typing.assert_type(config, keras_bert.BertConfig)
typing.assert_type(config.sizes, dict[str, int])
new = checkpoints.PretrainedModel.from_config(
    config, keras_bert.text.BertTokenizer("vocab.txt")
)
classifier = keras_bert.TextClassifier(new, labels=("bad", "good"))
typing.assert_type(classifier.labels, list[str])
typing.assert_type(classifier.probabilities(["a text"]), np.ndarray)
elmo = checkpoints.read_elmo("options.json", "weights.hdf5")
keras_bert.tasks.FeatureTokenClassifier(elmo, labels=["O"])
