"""The numbers of a fine-tuning run."""

import dataclasses
import itertools
import typing

from keras_bert import checks


def peak_rate(learning_rate):
    """Raise ValueError unless a learning rate is a number above 0."""
    if callable(learning_rate):
        raise ValueError(
            "`learning_rate` must be a number, the peak of a linear warm-up "
            "and decay. For another schedule, compile `model`, the Keras model "
            f"of the task, and call its `fit`. Received: {learning_rate!r}."
        )
    checks.positive(learning_rate=learning_rate)


@dataclasses.dataclass(frozen=True)
class Recipe(checks.Checked):
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

    epochs: int = checks.field(3, checks.at_least, 1)
    batch_size: int = checks.field(32, checks.at_least, 1)
    learning_rate: float = checks.field(3e-5, peak_rate)
    warmup: float = checks.field(0.1, checks.share)
    weight_decay: float = checks.field(0.01, checks.not_negative)
    layer_decay: float = checks.field(1.0, checks.fraction)
    num_frozen_layers: int = checks.field(0, checks.at_least, -1)
    num_reset_layers: int = checks.field(0, checks.at_least, 0)
    label_smoothing: float = checks.field(0.0, checks.share)
    patience: int | None = checks.field(None, checks.at_least, 1)
    seed: int = checks.field(0, checks.at_least, 0)
    parallel_parts: int = checks.field(1, checks.at_least, 1)
    label_share: float = checks.field(0.5, checks.share)
    temperature: float = checks.field(2.0, checks.positive)


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
