"""Tasks that train a head on cached hidden states of a frozen encoder."""

import contextlib
import dataclasses
import functools
import tempfile
import typing
from typing import Annotated

from keras_bert import checks
from keras_bert.checkpoints import PretrainedModel
from keras_bert.checkpoints import save_pretrained
from keras_bert.checkpoints.arrays.safetensors_file import SafetensorsFile
from keras_bert.checkpoints.arrays.safetensors_file import write_weights
from keras_bert.checkpoints.errors import CheckpointError
from keras_bert.checkpoints.layout import local_directory
from keras_bert.checkpoints.task_record import TaskRecord
from keras_bert.checks import Check
from keras_bert.files.atomic import check_writable
from keras_bert.messages import brief
from keras_bert.tasks.features.model import STATES
from keras_bert.tasks.features.model import FeatureDesign
from keras_bert.tasks.features.model import head_on_states
from keras_bert.tasks.features.model import lstm_head
from keras_bert.tasks.features.model import states_of_layers
from keras_bert.tasks.features.stored_states import encoder_settings
from keras_bert.tasks.features.stored_states import stored_states
from keras_bert.tasks.features.stored_states import with_states
from keras_bert.tasks.fine_tuned_task import FineTunedTask
from keras_bert.tasks.training.fine_tune import Learner
from keras_bert.tasks.training.forward import Forward
from keras_bert.tasks.training.recipe import Recipe
from keras_bert.tasks.training.recipe import peak_rate
from keras_bert.typing import Path

_WHOLE_ENCODER = -1
# Training arguments that a frozen encoder supports.
_ENCODER_FIELDS = {
    "num_frozen_layers": (0, _WHOLE_ENCODER),
    "num_reset_layers": (0,),
    "lora_rank": (None,),
    "layer_decay": (1.0,),
}
# Settings that determine the shapes of the head's weights.
_WEIGHT_SETTINGS = ("layers", "combination", "lstm_size")
HEAD_FILE = "head.safetensors"


@dataclasses.dataclass(frozen=True)
class HeadRecipe(Recipe):
    """Hyperparameters for training a new head on a frozen encoder.

    Args:
        epochs, learning_rate: as in `Recipe`, with other defaults.
    """

    epochs: Annotated[int, Check(checks.at_least, 1)] = 10
    learning_rate: Annotated[float | None, Check(peak_rate)] = 1e-3


class FeatureBased(FineTunedTask):
    """Base class for tasks that train a head on a frozen encoder.

    `fit` computes the hidden states of all examples once, writes them to files
    and reads them in each epoch. Prediction runs the encoder and the head as
    one model.

    Args:
        pretrained: `PretrainedModel` or `Elmo`.
        layers, combination, lstm_size, dropout, cache_dir, head_file: arguments
            of `FeatureTextClassifier`.
        **kwargs: other arguments of the task.

    Attributes:
        is_per_token: bool, whether the head has an output for each token
            instead of each row.
        states_model: `keras.Model`, see `states_of_layers`.
        head_model: `keras.Model`, see `lstm_head`.
    """

    is_per_token = False
    recipe_class = HeadRecipe

    def __init__(
        self,
        pretrained: typing.Any,
        *,
        layers: typing.Iterable[int] | None = None,
        combination: str | None = None,
        lstm_size: int | None = None,
        dropout: float | None = None,
        cache_dir: Path | None = None,
        head_file: Path | None = None,
        **kwargs: typing.Any,
    ):
        trained = self._trained_settings(pretrained)
        self.design = FeatureDesign.of(
            pretrained,
            trained,
            layers=layers,
            combination=combination,
            lstm_size=lstm_size,
            dropout=dropout,
        )
        if cache_dir is not None:
            check_writable(cache_dir)
        self.cache_dir = cache_dir
        super().__init__(pretrained, **kwargs)
        if self.kept_outputs:
            self._check_same_head(trained, head_file)
            read_head(self.head_model, head_file)
            self._last_layer.reorder_outputs(self.kept_outputs)

    @classmethod
    def _of_directory(cls, pretrained, directory, **kwargs):
        path = local_directory(directory) / HEAD_FILE
        return cls(pretrained, head_file=path, **kwargs)

    def _template(self, family):
        return family.template

    def _with_head(self, pretrained, settings):
        settings = {**settings, **self.design.settings}
        record = TaskRecord(type(self).__name__, None, settings)
        pretrained = pretrained.for_task(record)
        backbone = pretrained.backbone
        self.states_model = states_of_layers(backbone, self.design.layers)
        self.head_model = lstm_head(
            self.design,
            backbone.states[-1].shape[-1],
            self.outputs.num_outputs,
            self.is_per_token,
        )
        self._compute_on_states = Forward(self.head_model)
        name = f"{pretrained.encoder.name}_features"
        model = head_on_states(self.states_model, self.head_model, name)
        return pretrained, model

    def _recipe(self, *args, **values):
        recipe = super()._recipe(*args, **values)
        for name, values in _ENCODER_FIELDS.items():
            if getattr(recipe, name) not in values:
                raise ValueError(
                    f"`{name}` must be {values[0]}, because the encoder of a "
                    f"{type(self).__name__} is frozen. "
                    f"Received: {name}={getattr(recipe, name)}."
                )
        return dataclasses.replace(recipe, num_frozen_layers=_WHOLE_ENCODER)

    @property
    def _last_layer(self):
        return self.head_model.get_layer("head")

    @property
    def _starts_random(self):
        return True

    def smaller(self, num_layers: int) -> typing.NoReturn:
        """Raise ValueError, because the head depends on the chosen layers.

        Args:
            num_layers: not used.
        """
        raise ValueError(
            f"A {type(self).__name__} cannot be made smaller: its head depends "
            f"on the chosen layers. Received: num_layers={brief(num_layers)}."
        )

    def _learner(self):
        return Learner(
            self.head_model,
            self.outputs,
            self.pretrained,
            own_model=self.head_model,
        )

    @contextlib.contextmanager
    def _training(self, examples, held_out):
        """Yield the examples with stored hidden states."""
        with self._states_directory() as directory:
            examples = self._with_stored_states(examples, directory)
            if held_out is not None:
                held_out = self._with_stored_states(held_out, directory)
            yield examples, held_out

    def _forward(self, rows):
        if STATES in rows.values:
            return self._compute_on_states(rows)
        return super()._forward(rows)

    def save(
        self, directory: Path, format: str = "keras", overwrite: bool = False
    ) -> None:
        """Save the encoder and the head to a directory.

        Args:
            directory: directory to write; it is created if needed.
            format: only "keras", because transformers has no such head.
            overwrite: whether to overwrite the files of an earlier save.

        Raises:
            ValueError: the format is unsupported, or a file exists.
        """
        if format != "keras":
            raise ValueError(
                f'The `format` of a {type(self).__name__} must be "keras". '
                f"Received: format={brief(format)}."
            )
        self._check_encoder()
        save_pretrained(
            self.pretrained,
            directory,
            overwrite=overwrite,
            extras={HEAD_FILE: functools.partial(write_head, self.head_model)},
        )

    def _check_servable(self):
        super()._check_servable()
        self._check_encoder()

    def _check_encoder(self):
        if not isinstance(self.pretrained, PretrainedModel):
            raise ValueError(
                "To save or export a task, its encoder must be a "
                f"`PretrainedModel`. Received: {type(self.pretrained)}."
            )

    def _check_same_head(self, trained, head_file):
        """Raise ValueError unless the trained head has these settings."""
        if head_file is None:
            name = type(self).__name__
            raise ValueError(
                f"This model was trained as a {name}, and its head is in a "
                f"separate file. Load it with `{name}.from_pretrained`. "
                "Received: head_file=None."
            )
        for name in _WEIGHT_SETTINGS:
            if trained[name] != self.settings[name]:
                raise ValueError(
                    f"This model was trained with {name}={trained[name]!r}. "
                    "Pass `new_head=True` to replace its head by a random "
                    f"one. Received: {name}={brief(self.settings[name])}."
                )

    def _states_directory(self):
        if self.cache_dir is None:
            return tempfile.TemporaryDirectory(prefix="keras_bert-states-")
        return contextlib.nullcontext(self.cache_dir)

    def _with_stored_states(self, encoded, directory):
        settings = encoder_settings(
            self.pretrained, self.preprocess, self.design.layers
        )
        states = stored_states(
            self.states_model, encoded.rows, settings, directory
        )
        return with_states(encoded, states)


def write_head(head, path):
    """Write the weights of a head (`keras.Model`) to a path."""
    write_weights(path, {weight.path: weight for weight in head.weights})


def read_head(head, path):
    """Load weights written by `write_head` into a head.

    Args:
        head: `keras.Model` with weights of the same names and shapes.
        path: str or `pathlib.Path`.

    Raises:
        CheckpointError: the file cannot be read or does not match the head; no
            weight is changed.
    """
    arrays = SafetensorsFile(path)
    shapes = {w.path: tuple(w.shape) for w in head.weights}
    if arrays.shapes != shapes:
        raise CheckpointError(
            f"{path} must contain the weights of the trained head, {shapes}. "
            f"Received the shapes: {arrays.shapes}."
        )
    for weight in head.weights:
        weight.assign(arrays.read(weight.path))
