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
            _load(_places(elmo.backbone), file)
    except (KeyError, OSError, RuntimeError, TypeError, ValueError) as error:
        raise CheckpointError(
            "ELMo needs an options.json and a matching HDF5 file. "
            f"Received: {options_file} and {weight_file}: {error}"
        ) from None
    return elmo


def _load(places, file):
    items = {}
    # External links are not visited.
    file.visititems(items.__setitem__)
    arrays = {
        name: x
        for name, x in items.items()
        if isinstance(x, h5py.Dataset) and not (x.external or x.is_virtual)
    }
    for name in sorted({*places, *arrays}):
        wanted = places[name].shape if name in places else "none"
        found = arrays[name].shape if name in arrays else "none"
        # The first axis of a convolution over one dimension is 1.
        if found != ((1, *wanted) if name.startswith("CNN/W_") else wanted):
            raise ValueError(f"{name}: expected {wanted}, found {found}.")
    for name, weight in places.items():
        weight.assign(arrays[name][()].reshape(weight.shape))


def _places(backbone):
    """Return a dict mapping array names to weights."""
    words = backbone.embeddings
    layers = {"CNN_proj/{}_proj": words.projection}
    for number, layer in enumerate(words.convolutions):
        layers[f"CNN/{{}}_cnn_{number}"] = layer
    for place, layer in enumerate(words.highways):
        part = ("transform", "carry")[place % 2]
        layers[f"CNN_high_{place // 2}/{{}}_{part}"] = layer
    places = {"char_embed": words.table}
    for name, layer in layers.items():
        places[name.format("W")] = layer.kernel
        places[name.format("b")] = layer.bias
    for place, lstm in enumerate(backbone.blocks):
        name = f"RNN_{place % 2}/RNN/MultiRNNCell/Cell{place // 2}/LSTMCell"
        places[f"{name}/W_0"] = lstm.cell.kernel
        places[f"{name}/B"] = lstm.cell.bias
        places[f"{name}/W_P_0"] = lstm.cell.projection
    return places
