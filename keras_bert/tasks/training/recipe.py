"""Fine-tuning hyperparameters."""

import collections.abc
import dataclasses
import itertools
import typing
from typing import Annotated

from keras_bert import arguments
from keras_bert import checks
from keras_bert.checks import Check
from keras_bert.messages import brief
from keras_bert.typing import Arguments


def peak_rate(learning_rate: typing.Any) -> None:
    """Raise ValueError unless the learning rate is a number above 0."""
    if callable(learning_rate):
        raise ValueError(
            "`learning_rate` must be a number, the peak of a linear warm-up "
            "and decay. For another schedule, compile `model`, the Keras model "
            f"of the task, and call its `fit`. Received: "
            f"{brief(learning_rate)}."
        )
    checks.positive(learning_rate=learning_rate)


@dataclasses.dataclass(frozen=True)
class Recipe(checks.Checked):
    """Fine-tuning hyperparameters, with defaults from the BERT paper.

    A new head gets its random weights when the model is loaded;
    `keras.utils.set_random_seed` sets their seed.

    Args:
        epochs: number of passes over the training examples.
        batch_size: number of examples in a training step.
        steps_per_epoch: number of training steps in an epoch, which may end
            within a pass over the examples, or after several. Required for
            endless datasets. If None, an epoch is a pass.
        learning_rate: peak learning rate, reached after the warm-up; it then
            decays linearly to 0. Defaults to 3e-5, or to 5e-4 with
            `lora_rank`.
        warmup: fraction of the steps used for warm-up.
        weight_decay: weight decay of matrices and embedding tables; it is
            multiplied by the learning rate.
        layer_decay: factor by which the learning rate decreases from each
            layer to the layer below it; 1 for equal rates.
        num_frozen_layers: number of lowest blocks to freeze, together with
            the embeddings; 0 for none, -1 for the whole encoder. Blocks with
            shared weights must be frozen together.
        num_reset_layers: number of highest blocks to initialize randomly.
        lora_rank: rank of the LoRA adapters in the attention layers. The
            encoder is frozen, and the adapters, the pooler and the head are
            trained. If None, the encoder itself is trained.
        label_smoothing: label smoothing, from 0 to 1.
        patience: number of epochs without improvement before training stops. If
            None, there is no early stopping.
        seed: random seed for shuffling, dropout and reset layers.
        backup_dir: directory for the state of training, written after each
            epoch and deleted at the end. If `fit` is interrupted, the same call
            continues from the last finished epoch, with the same results.
        parallel_parts: number of parts into which a batch is split. They are
            computed in parallel, with one thread each. Results do not change.
            On a CPU, one part per core is fastest.
        recompute: whether to compute each block again in the backward pass
            instead of storing its activations. This needs less memory and more
            time. Results do not change.
        label_share: loss weight of the labels in distillation, from 0 to 1;
            the rest is the weight of the teacher's logits.
        temperature: distillation temperature, which divides the logits of
            teacher and student. Ignored in regression.

    Raises:
        ValueError: a value is out of range.

    References:
        [BERT](https://arxiv.org/abs/1810.04805), appendix A.3;
        [DistilBERT](https://arxiv.org/abs/1910.01108), section 2, for students
    """

    groups = {"epochs": "Training", "label_share": "Students"}

    epochs: Annotated[int, Check(checks.at_least, 1)] = 3
    batch_size: Annotated[int, Check(checks.at_least, 1)] = 32
    steps_per_epoch: Annotated[int | None, Check(checks.at_least, 1)] = None
    learning_rate: Annotated[float | None, Check(peak_rate)] = None
    warmup: Annotated[float, Check(checks.share)] = 0.1
    weight_decay: Annotated[float, Check(checks.not_negative)] = 0.01
    layer_decay: Annotated[float, Check(checks.fraction)] = 1.0
    num_frozen_layers: Annotated[int, Check(checks.at_least, -1)] = 0
    num_reset_layers: Annotated[int, Check(checks.at_least, 0)] = 0
    lora_rank: Annotated[int | None, Check(checks.at_least, 1)] = None
    label_smoothing: Annotated[float, Check(checks.share)] = 0.0
    patience: Annotated[int | None, Check(checks.at_least, 1)] = None
    seed: Annotated[int, Check(checks.at_least, 0)] = 0
    backup_dir: str | None = None
    parallel_parts: Annotated[int, Check(checks.at_least, 1)] = 1
    recompute: bool = False
    label_share: Annotated[float, Check(checks.share)] = 0.5
    temperature: Annotated[float, Check(checks.positive)] = 2.0

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("num_frozen_layers", "num_reset_layers"):
            if self.lora_rank is not None and getattr(self, name):
                raise ValueError(
                    "`lora_rank` freezes all layers of the encoder, so "
                    f"`{name}` must be 0. Received: lora_rank="
                    f"{self.lora_rank}, {name}={getattr(self, name)}."
                )

    @classmethod
    def of_fit(
        cls,
        fit: collections.abc.Callable,
        *args: typing.Any,
        **values: typing.Any,
    ) -> typing.Self:
        """Create the recipe of a call of `fit`.

        Args:
            fit: the method or function, for error messages.
            *args, **values: fields of the recipe.

        Raises:
            TypeError: neither `fit` nor the recipe has such an argument.
        """
        title = fit.__name__
        if hasattr(fit, "__self__"):
            title = f"{type(fit.__self__).__name__}.{title}"
        known = [*arguments.parameters(fit), *arguments.parameters(cls)]
        arguments.check_names(title, values, known)
        return cls(*args, **values)

    @property
    def peak_learning_rate(self) -> float:
        """The learning rate, or the default of the trained weights."""
        if self.learning_rate is not None:
            return self.learning_rate
        return 3e-5 if self.lora_rank is None else 5e-4


class HasRecipe(typing.Protocol[Arguments]):
    """A task, as type checkers see it in `fit(**recipe)`.

    `Arguments` are the arguments of its recipe. Type checkers report a misspelt
    argument of `fit`, and editors show all arguments.
    """

    @property
    def recipe_class(self) -> collections.abc.Callable[Arguments, Recipe]: ...


def with_seeds(recipe: Recipe, count: int) -> list[Recipe]:
    """Return copies of a recipe with `count` consecutive seeds."""
    return [
        dataclasses.replace(recipe, seed=recipe.seed + number)
        for number in range(count)
    ]


def paper_grid(recipe: Recipe) -> list[Recipe]:
    """Return copies of a recipe with the paper's hyperparameter grid.

    References:
        [BERT](https://arxiv.org/abs/1810.04805), appendix A.3
    """
    return [
        dataclasses.replace(
            recipe, batch_size=batch_size, learning_rate=rate, epochs=epochs
        )
        for batch_size, rate, epochs in itertools.product(
            (16, 32), (5e-5, 3e-5, 2e-5), (2, 3, 4)
        )
    ]
