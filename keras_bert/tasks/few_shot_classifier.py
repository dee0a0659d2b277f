"""Few-shot classification on the embeddings of a fine-tuned embedder."""

import dataclasses
import functools
import typing
from typing import Annotated

import keras
import numpy as np
from keras import ops

from keras_bert import checks
from keras_bert.checkpoints.layout import local_directory
from keras_bert.checks import Check
from keras_bert.layers.heads.task_head import TaskHead
from keras_bert.messages import brief
from keras_bert.tasks.columns import LABELS_INCLUDED
from keras_bert.tasks.columns import SINGLE_KEYS
from keras_bert.tasks.columns import answers_one_or_many
from keras_bert.tasks.columns import checked_texts
from keras_bert.tasks.columns import one_or_many
from keras_bert.tasks.columns import split_examples
from keras_bert.tasks.embeddings.directories import save_directory
from keras_bert.tasks.embeddings.saving import load_embedder
from keras_bert.tasks.features.feature_based import HEAD_FILE
from keras_bert.tasks.features.feature_based import read_head
from keras_bert.tasks.features.feature_based import write_head
from keras_bert.tasks.labels import label_indices
from keras_bert.tasks.outputs.label_names import choose_labels
from keras_bert.tasks.outputs.text_outputs import Labels
from keras_bert.tasks.task import Task
from keras_bert.tasks.text_embedder import TextEmbedder
from keras_bert.tasks.training.encoded import Encoded
from keras_bert.tasks.training.encoded import tokenized_rows
from keras_bert.tasks.training.recipe import HasRecipe
from keras_bert.tasks.training.recipe import Recipe
from keras_bert.tasks.training.recipe import peak_rate
from keras_bert.typing import Arguments
from keras_bert.typing import LabelNames
from keras_bert.typing import Path
from keras_bert.typing import Tensors
from keras_bert.typing import Texts

_NUM_STEPS = 3000


@dataclasses.dataclass(frozen=True)
class FewShotRecipe(Recipe):
    """Hyperparameters for training an embedder on few labeled texts.

    Args:
        epochs, batch_size, learning_rate: as in `Recipe`, with other defaults.
    """

    epochs: Annotated[int, Check(checks.at_least, 1)] = 1
    batch_size: Annotated[int, Check(checks.at_least, 1)] = 16
    learning_rate: Annotated[float | None, Check(peak_rate)] = 2e-5


class FewShotClassifier(Task):
    """Text classifier for few labeled texts, such as eight of each label.

    `fit` first fine-tunes the embedder on pairs of texts: the cosine similarity
    is trained to be 1 for texts with the same label, and 0 for texts with
    different labels. Then a logistic regression is fitted to the embeddings.

    Args:
        embedder: `TextEmbedder`.
        labels: names of the labels in order.

    Attributes:
        embedder: `TextEmbedder`, trained by `fit`.

    Example:

    >>> embedder = keras_bert.TextEmbedder.from_pretrained("directory")
    >>> labels = ["negative", "positive"]
    >>> classifier = keras_bert.FewShotClassifier(embedder, labels)
    >>> history = classifier.fit(["a fine film", "a bore"], [1, 0], verbose=0)
    >>> [answer["label"] for answer in classifier.predict(["a fine film"])]
    ['positive']

    References:
        [SetFit](https://arxiv.org/abs/2209.11055)
    """

    recipe_class = FewShotRecipe

    def __init__(
        self,
        embedder: TextEmbedder,
        labels: LabelNames | None = None,
    ):
        if not isinstance(embedder, TextEmbedder):
            raise ValueError(
                "`embedder` must be a `TextEmbedder`. Received: "
                f"embedder={brief(embedder)}."
            )
        self.labels, _ = choose_labels(None, labels)
        self.outputs = Labels(self.labels)
        self.output_names = self.outputs.names
        self.embedder, self.pretrained = embedder, embedder.pretrained
        self.settings = {**embedder.settings, "labels": self.labels}
        self.preprocess, self.input_names = (
            embedder.preprocess,
            embedder.input_names,
        )
        self.head = TaskHead(len(self.labels), dropout=0.0, name="head")
        self.pretrained.added_layers = [*embedder.dense, self.head]
        logits = self.head(embedder.model.output["embedding"])
        self.model = keras.Model(embedder.model.input, {"logits": logits})

    @classmethod
    def _load(cls, directory, **arguments):
        return load_embedder(directory, **arguments)

    @classmethod
    def _of_directory(cls, pretrained, directory, labels=None, **kwargs):
        task = pretrained.task
        is_own = task is not None and task.task == TextEmbedder.__name__
        trained = task.settings.get("labels") if is_own else None
        if labels is not None:
            labels, _ = choose_labels(None, labels)
        if trained and labels not in (None, trained):
            raise ValueError(
                f"{directory} has a head for the labels {trained}. For other "
                "labels, pass the embedder that `TextEmbedder.from_pretrained` "
                f"loads to `FewShotClassifier`. Received: "
                f"labels={brief(labels)}."
            )
        embedder = TextEmbedder(pretrained, **kwargs)
        classifier = cls(embedder, trained or labels)
        if trained:
            read_head(classifier.head, local_directory(directory) / HEAD_FILE)
        return classifier

    def save(self, directory: Path, overwrite: bool = False) -> None:
        """Save the embedder and the head to a directory.

        `TextEmbedder.from_pretrained` can load the embedder from it.

        Args:
            directory: directory to write; it is created if needed.
            overwrite: whether to overwrite the files of an earlier save.
        """
        settings, files = self.embedder._saved()
        settings |= {"labels": self.labels}
        files |= {HEAD_FILE: functools.partial(write_head, self.head)}
        save_directory(
            self.embedder, directory, "keras", overwrite, settings, files
        )

    def fit(
        self: HasRecipe[Arguments],
        texts: typing.Any,
        labels: typing.Any = None,
        num_iterations: int = 20,
        verbose: str | int = "auto",
        *args: Arguments.args,
        **recipe: Arguments.kwargs,
    ) -> keras.callbacks.History:
        """Train the embedder and the head.

        Args:
            texts: list of str. Or a dataset or table that includes labels, as
                in `TextClassifier.fit`.
            labels: list with the label of each text, a name or its index; at
                least two different labels.
            num_iterations: number of pairs with the same label, and of pairs
                with different labels, that are formed with each text.
            verbose: "auto", 0, 1 or 2, as in `keras.Model.fit`.
            **recipe: fields of the embedder's `Recipe`.

        Returns:
            A Keras `History` of the embedder's training.

        Raises:
            ValueError: a text or label cannot be used. Nothing is trained.
        """
        options = self.recipe_class.of_fit(self.fit, *args, **recipe)
        checks.at_least(1, num_iterations=num_iterations)
        texts, indices = self._labelled(texts, labels)
        pairs, scores = contrastive_pairs(
            texts, indices, num_iterations, options.seed
        )
        history = self.embedder.fit(
            pairs, scores, verbose=verbose, **dataclasses.asdict(options)
        )
        targets = np.eye(len(self.labels))[indices]
        vectors = self.embedder.embed(texts)
        self.head.logits.set_weights(logistic_regression(vectors, targets))
        return history

    def evaluate(
        self, texts: typing.Any, labels: typing.Any = None
    ) -> dict[str, float]:
        """Evaluate the predictions on labeled texts.

        Args:
            texts, labels: examples in the format of `fit`.

        Returns:
            The same metrics as `TextClassifier.evaluate`.
        """
        texts, indices = self._labelled(texts, labels)
        encoded, logits = self._logits(texts)
        encoded.targets = np.eye(len(self.labels))[indices]
        return self.outputs.metrics(encoded, logits)

    @one_or_many
    def probabilities(self, texts: Texts) -> np.ndarray:
        """Compute the probability of each label.

        Args:
            texts: texts in the format of `predict`.

        Returns:
            A float32 array `(num_texts, num_labels)`, or `(num_labels,)` for a
            single text.
        """
        return self.outputs.probabilities(self._logits(texts)[1])

    @answers_one_or_many
    def predict(self, texts: Texts) -> list[dict[str, typing.Any]]:
        """Predict the label of each text.

        Args:
            texts: str, or list of str. Lists may be empty. Also dicts, columns,
                arrays or tensors of these.

        Returns:
            The same as `TextClassifier.predict`.
        """
        return self.outputs.decode(*self._logits(texts))

    def predict_ids(
        self, inputs: Tensors, model: typing.Callable | None = None
    ) -> Tensors:
        ids = {name: inputs[name] for name in self.input_names}
        return self.outputs.graph((model or self.model)(ids)["logits"], inputs)

    def _labelled(self, texts, labels):
        labels = LABELS_INCLUDED if labels is None else labels
        texts, labels = split_examples(texts, labels, SINGLE_KEYS)
        checked_texts(texts)
        return texts, label_indices(labels, self.labels)

    def _logits(self, texts):
        rows = tokenized_rows(self.preprocess, checked_texts(texts))
        vectors = self.embedder._row_embeddings(rows)
        return Encoded(rows), ops.convert_to_numpy(self.head(vectors))


def contrastive_pairs(texts, indices, num_iterations, seed):
    """Return random pairs of texts and whether their labels are equal."""
    if len({*indices}) < 2:
        raise ValueError(
            "`labels` must contain two or more different labels. Received: "
            f"only the index {indices[0]}."
        )
    random = np.random.default_rng(seed)
    pairs, scores = [], []
    for first, index in [*enumerate(indices)] * num_iterations:
        is_same = indices == index
        others = np.flatnonzero(is_same & (np.arange(len(indices)) != first))
        for score, candidates in (
            (1.0, others),
            (0.0, np.flatnonzero(~is_same)),
        ):
            if len(candidates):
                pairs.append((texts[first], texts[random.choice(candidates)]))
                scores.append(score)
    return pairs, scores


def logistic_regression(
    vectors: np.ndarray, targets: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Fit a logistic regression with an L2 penalty.

    The probabilities are equal to scikit-learn's `LogisticRegression(C=1)`. The
    convex loss is minimized by Nesterov's accelerated gradient method.

    Args:
        vectors: float array `(num_vectors, dim)`.
        targets: float array `(num_vectors, num_labels)`, rows that sum to 1.

    Returns:
        The kernel, `(dim, num_labels)`, and the bias, `(num_labels,)`.
    """
    inputs = np.pad(vectors, ((0, 0), (0, 1)), constant_values=1.0)
    # For two labels, scikit-learn penalizes the difference of the columns.
    strength = 2.0 if targets.shape[1] == 2 else 1.0
    penalty = np.full((inputs.shape[1], 1), strength)
    penalty[-1] = 0.0  # The bias.
    step = 1 / (np.linalg.norm(inputs, 2) ** 2 / 2 + strength)
    weights = before = np.zeros((inputs.shape[1], targets.shape[1]))
    for number in range(_NUM_STEPS):
        ahead = weights + number / (number + 3) * (weights - before)
        logits = inputs @ ahead
        odds = np.exp(logits - logits.max(axis=1, keepdims=True))
        errors = odds / odds.sum(axis=1, keepdims=True) - targets
        gradient = inputs.T @ errors + penalty * ahead
        before, weights = weights, ahead - step * gradient
    return weights[:-1], weights[-1]
