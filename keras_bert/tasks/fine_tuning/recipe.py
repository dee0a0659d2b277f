"""The numbers of a fine-tuning run."""

import dataclasses
import difflib
import itertools
import typing

# The least values of integers.
_LEAST = {
    **dict.fromkeys(("epochs", "batch_size", "parallel_parts"), 1),
    **dict.fromkeys(("num_reset_layers", "seed"), 0),
    "num_frozen_layers": -1,
}
# What `fit` of the tasks takes besides.
_OTHER_ARGUMENTS = (
    *("validation_data", "class_weights", "callbacks", "verbose", "teacher"),
)


@dataclasses.dataclass(frozen=True)
class Recipe:
    """The numbers of a fine-tuning run; by default those of the paper.

    In Python a fresh head is drawn before, when the model is read:
    `keras.utils.set_random_seed` sets its seed.

    Args:
        epochs: int, passes over the examples.
        batch_size: int, examples in a training step.
        learning_rate: float, its peak, at the end of the warm-up; it falls
            linearly to 0.
        warmup: float, share of the steps in which the rate rises.
        weight_decay: float, of matrices and tables, times the learning rate.
        layer_decay: float, by which the rate of each layer is smaller than
            that of the layer above it; 1 for none.
        num_frozen_layers: int, lowest blocks that do not learn, with the
            embeddings; 0 for none, -1 for the whole encoder. Blocks that
            share weights learn together or not at all.
        num_reset_layers: int, highest blocks that start random.
        label_smoothing: float, share of the targets that is spread evenly.
        patience: int, epochs without a better result before an early end; by
            default there is none.
        seed: int, of the order, of dropout and of what starts random.
        parallel_parts: int, parts of a batch that are computed side by side,
            with one thread each, which makes training faster, and no better
            or worse; on a processor one for each core is fastest.
        label_share: float, share of the labels in the loss of a student; the
            rest is its teacher's.
        temperature: float, by which the logits of teacher and student are
            divided before these are compared; without effect on numbers.

    Raises:
        ValueError: a value is out of range.

    References:
        [BERT](https://arxiv.org/abs/1810.04805), appendix A.3;
        [DistilBERT](https://arxiv.org/abs/1910.01108), section 2, for students
    """

    groups: typing.ClassVar = {"epochs": "Training", "label_share": "Students"}

    epochs: int = 3
    batch_size: int = 32
    learning_rate: float = 3e-5
    warmup: float = 0.1
    weight_decay: float = 0.01
    layer_decay: float = 1.0
    num_frozen_layers: int = 0
    num_reset_layers: int = 0
    label_smoothing: float = 0.0
    patience: int | None = None
    seed: int = 0
    parallel_parts: int = 1
    label_share: float = 0.5
    temperature: float = 2.0

    def __post_init__(self):
        for name, least in _LEAST.items():
            value = getattr(self, name)
            is_right = isinstance(value, int) and value >= least
            _check(is_right, name, value, f"an integer, at least {least}")
        value = self.patience
        is_right = value is None or (isinstance(value, int) and value >= 1)
        _check(is_right, "patience", value, "None or at least 1")
        below_1 = "at least 0 and below 1"
        for name, is_right, expected in (
            ("learning_rate", self.learning_rate > 0, "above 0"),
            ("warmup", 0 <= self.warmup < 1, below_1),
            ("weight_decay", self.weight_decay >= 0, "at least 0"),
            ("layer_decay", 0 < self.layer_decay <= 1, "above 0, at most 1"),
            ("label_smoothing", 0 <= self.label_smoothing < 1, below_1),
            ("label_share", 0 <= self.label_share < 1, below_1),
            ("temperature", self.temperature > 0, "above 0"),
        ):
            _check(is_right, name, getattr(self, name), expected)

    @classmethod
    def of_fit(cls, **fields):
        """Makes a recipe of what a user passes to `fit` by name.

        Raises:
            ValueError: a name is no field, or a value is out of range.
        """
        known = [field.name for field in dataclasses.fields(cls)]
        for name in fields.keys() - known:
            near = difflib.get_close_matches(name, [*known, *_OTHER_ARGUMENTS])
            near = [other for other in near if other != name]
            advice = (
                f"Did you mean {' or '.join(near)}?"
                if near
                else (f"A recipe has {', '.join(known)}.")
            )
            raise ValueError(
                f"`fit` has no argument `{name}` here. {advice} "
                f"Received: {name}={fields[name]!r}."
            )
        return cls(**fields)


def _check(is_right, name, value, expected):
    if not is_right:
        raise ValueError(
            f"`{name}` must be {expected}. Received: {name}={value!r}."
        )


def with_seeds(recipe, count):
    """Lists a recipe with so many seeds, from its own on."""
    return [
        dataclasses.replace(recipe, seed=recipe.seed + number)
        for number in range(count)
    ]


def paper_grid(recipe):
    """Lists a recipe with each batch size, rate and epochs of the paper.

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
