"""Zero-shot classification with a model for natural language inference."""

import typing

import keras
import numpy as np

from keras_bert import checks
from keras_bert.checkpoints import PretrainedModel
from keras_bert.checkpoints import from_pretrained
from keras_bert.checkpoints.layout import local_directory
from keras_bert.lazy_tensorflow import tf
from keras_bert.messages import brief
from keras_bert.models.task_model import over_choices
from keras_bert.tasks.columns import SINGLE_KEYS
from keras_bert.tasks.columns import answers_one_or_many
from keras_bert.tasks.columns import as_list
from keras_bert.tasks.columns import checked_texts
from keras_bert.tasks.columns import encoded_texts
from keras_bert.tasks.columns import one_or_many
from keras_bert.tasks.inputs.choices import ChoicePreprocessor
from keras_bert.tasks.inputs.choices import Choices
from keras_bert.tasks.outputs.text_outputs import Labels
from keras_bert.tasks.ranker_loading import published_length
from keras_bert.tasks.task import Task
from keras_bert.tasks.text_classifier import TextClassifier
from keras_bert.tasks.training.forward import Forward
from keras_bert.tasks.training.forward import progress_bar
from keras_bert.typing import Tensors
from keras_bert.typing import Texts

_DEFAULT_LENGTH = 512
_LABEL = "\0"


class ZeroShotClassifier(Task):
    """Text classifier for labels chosen at prediction time.

    The model is a `TextClassifier` for natural language inference (NLI). The
    text is the premise, and each label is inserted into a hypothesis. The score
    of a label is the entailment logit of its hypothesis. There is no training
    on the labels.

    Args:
        pretrained: text classifier for pairs with the labels "entailment" and
            "contradiction", or "entailment" and one other label.
        hypothesis_template: hypothesis with "{}" for the label, in the format
            of `str.format`: "{{" is a brace.
        multi_label: whether a text may have several labels or none. The
            probability of a label is then independent of the other labels: the
            softmax over entailment and contradiction. `predict` returns labels
            with a probability of at least 0.5.
        seq_length: maximum length of text and hypothesis in tokens, special
            tokens included. Defaults to the trained length, to the
            `model_max_length` of `tokenizer_config.json`, or to 512.

    Example:

    >>> classifier = keras_bert.ZeroShotClassifier.from_pretrained("mnli-model")
    >>> classifier.predict("a fine film", labels=["cinema", "cooking"])
    {'label': 'cinema', 'probability': 0.97, 'truncated': False}

    References:
        [Zero-shot text classification](https://arxiv.org/abs/1909.00161)
    """

    text_inputs = ("text", "labels")
    text_shapes = {"labels": (None, None)}

    def __init__(
        self,
        pretrained: PretrainedModel,
        hypothesis_template: str = "This example is {}.",
        multi_label: bool = False,
        seq_length: int | None = None,
    ):
        checks.flag(multi_label=multi_label)
        entailment, other = _nli_outputs(pretrained)
        if seq_length is None:
            default = min(_DEFAULT_LENGTH, pretrained.sequence_length())
            seq_length = pretrained.task.settings.get("seq_length", default)
        classifier = TextClassifier(pretrained, seq_length=seq_length)
        self.pretrained, self.multi_label = classifier.pretrained, multi_label
        self.settings = {
            "hypothesis_template": hypothesis_template,
            "multi_label": multi_label,
        }
        template = classifier.preprocess.template
        how = {"seq_length": classifier.preprocess.seq_length}
        self._reader = Choices(self.pretrained, template, how)
        pairs = self._reader.preprocess.pairs
        self.preprocess = _Hypotheses(hypothesis_template, pairs)
        self.input_names = tuple(self.pretrained.backbone.inputs)
        self.output_names = Labels([], multi_label).names
        logits = classifier.model.output["logits"]
        score = logits[:, entailment : entailment + 1]
        if multi_label:
            score -= logits[:, other : other + 1]
        model = keras.Model(classifier.model.input, {"logits": score})
        self._compute = Forward(model)
        self.model = over_choices(model, f"{model.name}_over_labels")

    @classmethod
    def _load(cls, directory, **arguments):
        directory = local_directory(directory)
        pretrained = from_pretrained(directory, **arguments)
        settings = pretrained.task.settings if pretrained.task else {}
        length = published_length(directory, pretrained)
        is_known = "seq_length" in settings or not length
        return pretrained, {} if is_known else {"seq_length": length}

    @one_or_many
    def probabilities(
        self, texts: Texts, labels: typing.Sequence[str]
    ) -> np.ndarray:
        """Compute the probability of each label.

        Args:
            texts, labels: arguments of `predict`.

        Returns:
            A float32 array `(num_texts, num_labels)`, or `(num_labels,)` for a
            single text. The probabilities of a text sum to 1 unless
            `multi_label` is set.
        """
        answer, _, logits = self._logits(texts, labels)
        return answer.probabilities(logits)

    @answers_one_or_many
    def predict(
        self,
        texts: Texts,
        labels: typing.Sequence[str],
        show_progress_bar: bool = False,
    ) -> list[typing.Any]:
        """Predict the label of each text.

        Args:
            texts: str, or list of str. Lists may be empty. Also dicts, columns,
                arrays or tensors of these.
            labels: list of str, the possible labels of all texts.
            show_progress_bar: whether to show Keras's progress bar.

        Returns:
            The same as `TextClassifier.predict`.
        """
        answer, *rest = self._logits(texts, labels, show_progress_bar)
        return answer.decode(*rest)

    def predict_ids(
        self, inputs: Tensors, model: typing.Callable | None = None
    ) -> Tensors:
        ids = {name: inputs[name] for name in self.input_names}
        logits = (model or self.model)(ids)["logits"]
        probabilities = Labels([], self.multi_label).activation(logits)
        return {"logits": logits, "probabilities": probabilities}

    def _postprocess(self, outputs, inputs, *texts):
        """Add the predicted labels to the outputs of `predict_ids`."""
        _, labels = texts
        if not self.multi_label:
            best = tf.argmax(outputs["logits"], axis=-1)
            return {**outputs, "label": tf.gather(labels, best, batch_dims=1)}
        top = tf.math.top_k(outputs["probabilities"], tf.shape(labels)[1])
        labels = tf.gather(labels, top.indices, batch_dims=1)
        return {**outputs, "labels": tf.where(top.values >= 0.5, labels, "")}

    def _logits(self, texts, labels, show_progress_bar=False):
        """Return the `Labels`, the `Encoded` pairs and the logits."""
        (texts,) = encoded_texts(texts, SINGLE_KEYS)
        labels = as_list(labels, "labels")
        names = {label for label in labels if isinstance(label, str)}
        num_least = 1 if self.multi_label else 2
        if len(names) != len(labels) or len(labels) < num_least:
            raise ValueError(
                "`labels` must be two or more distinct str, or one with "
                f"multi_label=True. Received: labels={brief(labels)}."
            )
        hypotheses = checked_texts(map(self.preprocess.hypothesis, labels))
        encoded = self._reader.encode((texts, [hypotheses] * len(texts)))
        logits = np.zeros((len(encoded.rows), 1), np.float32)
        with progress_bar(show_progress_bar, len(logits)):
            for indices, outputs in self._compute(encoded.rows):
                logits[indices] = outputs["logits"]
        logits = logits.reshape(len(texts), len(labels))
        return Labels(labels, self.multi_label), encoded, logits


def _nli_outputs(pretrained):
    """Return the indices of the entailment and the contradiction logit."""
    task = pretrained.task
    is_classifier = task is not None and task.task == "TextClassifier"
    labels = task.settings["labels"] if is_classifier else []
    entailment, others = [], []
    for index, label in enumerate(labels):
        is_entailment = label.lower().startswith("entail")
        (entailment if is_entailment else others).append(index)
    if len(others) > 1:
        others = [x for x in others if labels[x].lower().startswith("contra")]
    if len(entailment) != 1 or len(others) != 1:
        raise ValueError(
            "`pretrained` must be a text classifier with the labels "
            "'entailment' and 'contradiction', such as a model trained on "
            "MNLI. To name its labels, load it with `TextClassifier` and "
            f"`rename_labels`. Received: labels={labels}."
        )
    return *entailment, *others


class _Hypotheses(ChoicePreprocessor):
    """Preprocessor that packs the text with the hypothesis of each label."""

    def __init__(self, template, pairs):
        try:
            self._around_label = str(template).format(_LABEL).split(_LABEL)
        except (AttributeError, LookupError, ValueError):
            self._around_label = []
        if len(self._around_label) != 2:
            raise ValueError(
                '`hypothesis_template` must contain "{}" once, for the label. '
                f"Received: hypothesis_template={brief(template)}."
            )
        super().__init__(pairs)

    def hypothesis(self, label):
        return label.join(self._around_label)

    def encode(self, texts, labels):
        before, after = self._around_label
        labels = tf.strings.join([before, labels, after])
        return super().encode(texts, labels)
