"""Reader for published ELMo models (options.json and HDF5 weights)."""

import copy
import types
import typing

import h5py

from keras_bert.checkpoints.errors import CheckpointError
from keras_bert.checkpoints.task_record import TaskRecord
from keras_bert.models.families.elmo.model import ElmoBackbone
from keras_bert.models.families.elmo.model import ElmoOptions
from keras_bert.summary import Summarized
from keras_bert.template import Template
from keras_bert.typing import Path

if typing.TYPE_CHECKING:
    from keras_bert.text.words import WordTokenizer


class Elmo(Summarized):
    """Frozen ELMo model that encodes texts for feature-based tasks.

    Args:
        options: model configuration.

    Attributes:
        config, backbone, encoder, tokenizer: the options, the `ElmoBackbone`,
            the Keras model that `backbone.encoder()` returns, and a
            `WordTokenizer`.
        task: `TaskRecord` of a feature-based task, or None.
    """

    family = types.SimpleNamespace(
        # Language models read two texts as consecutive sentences.
        template=Template(pair="cls A sep cls B sep", segments=False)
    )

    def __init__(self, options: ElmoOptions):
        self.config = options
        self.backbone = ElmoBackbone(options)
        self.encoder = self.backbone.encoder()
        self.task: TaskRecord | None = None

    def _facts(self):
        return {"config": self.config}

    @property
    def tokenizer(self) -> "WordTokenizer":
        from keras_bert.text.words import WordTokenizer

        return WordTokenizer(self.config.max_characters_per_token)

    def sequence_length(self, seq_length: float = float("inf")) -> float:
        """Return the length unchanged, because ELMo has no limit.

        :meta private:
        """
        return seq_length

    def for_task(self, task: TaskRecord) -> typing.Self:
        """Return a model with the same weights for a `TaskRecord`.

        :meta private:
        """
        other = copy.copy(self)
        other.task = task
        return other


def read_elmo(options_file: Path, weight_file: Path) -> Elmo:
    """Read a published ELMo model.

    Args:
        options_file: path of the `options.json`.
        weight_file: path of the HDF5 weights, as written by bilm-tf.

    Raises:
        CheckpointError: a file cannot be read, or the files do not match.
    """
    try:
        elmo = Elmo(ElmoOptions.from_json(options_file))
        with h5py.File(weight_file) as file:
            _load(_weights_by_name(elmo.backbone), file)
    except (KeyError, OSError, RuntimeError, TypeError, ValueError) as error:
        raise CheckpointError(
            "ELMo needs an options.json and a matching HDF5 file. "
            f"Received: {options_file} and {weight_file}: {error}"
        ) from None
    return elmo


def _load(weights, file):
    items = {}
    # External links are not visited.
    file.visititems(items.__setitem__)
    arrays = {
        name: x
        for name, x in items.items()
        if isinstance(x, h5py.Dataset) and not (x.external or x.is_virtual)
    }
    for name in sorted({*weights, *arrays}):
        wanted = weights[name].shape if name in weights else "none"
        stored = arrays[name].shape if name in arrays else "none"
        # The first axis of a convolution over one dimension is 1.
        if stored != ((1, *wanted) if name.startswith("CNN/W_") else wanted):
            raise ValueError(f"{name}: expected {wanted}, found {stored}.")
    for name, weight in weights.items():
        weight.assign(arrays[name][()].reshape(weight.shape))


def _weights_by_name(backbone):
    """Return a dict mapping array names to weights."""
    words = backbone.embeddings
    layers = {"CNN_proj/{}_proj": words.projection}
    for number, layer in enumerate(words.convolutions):
        layers[f"CNN/{{}}_cnn_{number}"] = layer
    for index, layer in enumerate(words.highways):
        gate = ("transform", "carry")[index % 2]
        layers[f"CNN_high_{index // 2}/{{}}_{gate}"] = layer
    weights = {"char_embed": words.table}
    for name, layer in layers.items():
        weights[name.format("W")] = layer.kernel
        weights[name.format("b")] = layer.bias
    for index, lstm in enumerate(backbone.blocks):
        name = f"RNN_{index % 2}/RNN/MultiRNNCell/Cell{index // 2}/LSTMCell"
        weights[f"{name}/W_0"] = lstm.cell.kernel
        weights[f"{name}/B"] = lstm.cell.bias
        weights[f"{name}/W_P_0"] = lstm.cell.projection
    return weights
