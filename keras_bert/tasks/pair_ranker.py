"""Cross-encoder for ranking documents."""

import contextlib
import typing

import keras
import numpy as np

from keras_bert import checks
from keras_bert.checkpoints import PretrainedModel
from keras_bert.losses import BinaryCrossEntropyLoss
from keras_bert.losses import ScoreLoss
from keras_bert.messages import brief
from keras_bert.models.task_model import over_choices
from keras_bert.tasks.columns import answers_one_or_many
from keras_bert.tasks.columns import as_list
from keras_bert.tasks.fine_tuned_task import FineTunedTask
from keras_bert.tasks.inputs.lists import Lists
from keras_bert.tasks.outputs.pair_scores import ACTIVATIONS
from keras_bert.tasks.outputs.pair_scores import Scores
from keras_bert.tasks.ranker_loading import load_ranker
from keras_bert.tasks.training.recipe import HasRecipe
from keras_bert.typing import Arguments
from keras_bert.typing import Texts


class PairRanker(FineTunedTask):
    """Cross-encoder that scores pairs of a query and a document.

    `from_pretrained` also loads a `CrossEncoder` of sentence-transformers, with
    its activation and maximum length.

    Args:
        pretrained: encoder, or model fine-tuned for this task.
        activation: function applied to the predicted scores: "sigmoid" for
            scores from 0 to 1, or "linear". Defaults to the saved activation,
            or "sigmoid". Losses are computed before the activation.
        seq_length: maximum length of a pair in tokens, special tokens
            included; the longer text is truncated. Defaults to the trained
            length, or 512.

    Example:

    >>> ranker = keras_bert.PairRanker.from_pretrained("directory")
    >>> documents = ["the sea", "a movie"]
    >>> history = ranker.fit([("a film", documents)], [[0, 1]], verbose=0)
    >>> [index for index, score in ranker.rank("a film", documents)]
    [1, 0]

    References:
        [Passage Re-ranking with BERT](https://arxiv.org/abs/1901.04085)
    """

    default_length = 512
    shared = ("activation",)
    answer: Scores

    def __init__(
        self,
        pretrained: PretrainedModel,
        activation: str | None = None,
        seq_length: int | None = None,
    ):
        trained = self._trained_settings(pretrained)
        if activation is None:
            activation = trained.get("activation", ACTIVATIONS[0])
        checks.one_of(ACTIVATIONS, activation=activation)
        settings = {
            "activation": activation,
            "seq_length": self._trained_seq_length(pretrained, seq_length),
        }
        super().__init__(pretrained, Lists, Scores(activation), settings)

    @classmethod
    def _load(cls, directory, **arguments):
        return load_ranker(directory, **arguments)

    def fit(
        self: HasRecipe[Arguments],
        texts: typing.Any,
        labels: typing.Any = None,
        validation_data: typing.Any = None,
        class_weights: None = None,
        callbacks: typing.Sequence[keras.callbacks.Callback] = (),
        verbose: str | int = "auto",
        teacher: FineTunedTask | None = None,
        loss: ScoreLoss | None = None,
        *args: Arguments.args,
        **recipe: Arguments.kwargs,
    ) -> keras.callbacks.History:
        """Fine-tune the model.

        Args:
            texts: list of pairs of a query and a document, or of a query and a
                list of documents; or a `tf.data.Dataset` of ((query, document),
                label) tuples. Lists of the same length train fastest.
            labels: list with the label of each pair, or with a list of labels
                for each query. A higher label means a more relevant document.
                The range of the labels depends on `loss`.
            validation_data: dataset, or tuple of arguments for `evaluate`. It
                is evaluated after each epoch, and the weights of the best
                epoch are kept.
            class_weights: not supported.
            callbacks: list of Keras callbacks. They can monitor `loss` and,
                with `validation_data`, `val_loss` and the metrics of
                `evaluate`, such as `val_ndcg_at_10`.
            verbose: "auto", 0, 1 or 2, as in `keras.Model.fit`.
            teacher: trained `PairRanker` to distill. The model is trained to
                predict its scores.
            loss: `BinaryCrossEntropyLoss` (default), `ScoreMSELoss`,
                `ListNetLoss`, `LambdaLoss` or `ScoreMarginMSELoss` of
                `keras_bert.losses`. The last three need lists of documents.
            **recipe: fields of `Recipe`; `batch_size` counts the items of
                `texts`.

        Returns:
            A Keras `History`.

        Raises:
            ValueError: an example or a label cannot be used. Nothing is
                trained.
        """
        if not isinstance(loss, ScoreLoss | None):
            raise ValueError(
                "`loss` must be a loss on scores of `keras_bert.losses`, such "
                f"as `ListNetLoss()`. Received: loss={brief(loss)}."
            )
        self.outputs.ranking_loss = loss or BinaryCrossEntropyLoss()
        return super().fit(
            texts,
            labels,
            validation_data,
            class_weights,
            callbacks,
            verbose,
            teacher,
            None,
            *args,
            **recipe,
        )

    @contextlib.contextmanager
    def _training(self, examples, held_out):
        self.outputs.ranking_loss.check(examples.targets)
        yield examples, held_out

    def _learner(self):
        """Return the `Learner` for queries with their documents."""
        learner = super()._learner()
        name = f"{self.model.name}_over_documents"
        return learner._replace(model=over_choices(learner.model, name))

    def evaluate(
        self, texts: typing.Any, labels: typing.Any = None
    ) -> dict[str, float]:
        """Compute ranking metrics for the documents of each query.

        Pairs with the same query form one list. If each query has only one
        document, all pairs form one list.

        Args:
            texts, labels: examples in the format of `fit`. Documents with a
                label above 0 are relevant, and the label is their gain.

        Returns:
            A dict of floats: `ndcg_at_10`, `mrr_at_10` and
            `mean_average_precision`, averaged over the queries, and
            `spearman`, the rank correlation of all scores and labels.
        """
        return super().evaluate(texts, labels)

    @answers_one_or_many
    def predict(
        self, texts: Texts, show_progress_bar: bool = False
    ) -> list[float]:
        """Predict the score of each pair.

        Args:
            texts: list of pairs of a query and a document (str). Also dicts,
                columns, arrays or tensors of these. The list may be empty.
            show_progress_bar: whether to show Keras's progress bar.

        Returns:
            A list with a float for each pair, or a float for a single dict
            with the keys `text` and `text_pair`.
        """
        return self._compute_predictions(texts, show_progress_bar)

    def rank(
        self,
        query: str,
        documents: typing.Sequence[str],
        top_k: int | None = None,
    ) -> list[tuple[int, float]]:
        """Sort documents by their score for a query.

        Args:
            query: the query.
            documents: texts to rank.
            top_k: maximum number of results. Defaults to all documents.

        Returns:
            A list of (index, score) tuples, best first, where `index` is the
            position in `documents` and `score` is the result of `predict`.
            Documents with equal scores are sorted by index.
        """
        if top_k is not None:
            checks.at_least(1, top_k=top_k)
        texts = [(query, text) for text in as_list(documents, "documents")]
        encoded = self._encode(texts)
        logits = self._logits(encoded)
        scores = self.outputs.decode(encoded, logits)
        order = np.argsort(-logits[:, 0], kind="stable")[:top_k]
        return [(int(index), scores[index]) for index in order]
