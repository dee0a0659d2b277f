"""What pre-training learns: all in which one objective differs from another.

The batches, the parts of the model, the number of predictions and the terms
of the loss stand here and nowhere else. A plan asks for them before Keras is
imported, so what needs it is imported when it is called.
"""

import dataclasses
from collections.abc import Callable

from keras_bert import data
from keras_bert import training

# Masked tokens and next sentences, as BERT was published.
PUBLISHED = "mlm_nsp"


@dataclasses.dataclass(frozen=True)
class Objective:
    """An objective of pre-training.

    Args:
        name: str, by which a program is told of it.
        parts: tuple of str, the optional parts of the model that it trains.
        terms: function without arguments to the terms of the loss, a list of
            `LabelTerm` or of what has the same methods. What is minimized is
            their sum, each times its `factor`.
        view: function from batches of `pretraining_dataset` to those that
            the objective learns from. Their labels and weights are what its
            terms look at.
        num_predictions: function from `max_seq_length` and
            `max_predictions_per_seq` to the predictions in a sequence.
        is_decoder: bool, whether a token sees only those before it.
        label: str, what `next_sentence_labels` must tell, as of `Packing`;
            "" where they are not looked at.
    """

    name: str
    parts: tuple
    terms: Callable
    view: Callable
    num_predictions: Callable
    is_decoder: bool = False
    label: str = ""


def objective_named(name):
    """The objective of a name.

    Raises:
        ValueError: no objective has it.
    """
    if name not in OBJECTIVES:
        raise ValueError(
            f"`objective` must be one of {', '.join(OBJECTIVES)}. "
            f"Received: objective={name!r}."
        )
    return OBJECTIVES[name]


def _masked_tokens_and_next_sentences():
    return [training.LabelTerm("mlm_logits"), training.LabelTerm("nsp_logits")]


def _masked_tokens_and_sentence_order():
    return [training.LabelTerm("mlm_logits"), training.LabelTerm("sop_logits")]


def _masked_tokens():
    return [training.LabelTerm("mlm_logits")]


def _as_they_are(batches):
    return batches


def _without_next_sentences(batches):
    return _renamed(batches, {"mlm_logits": "mlm_logits"})


def _with_sentence_order(batches):
    # The records have one name for both kinds of labels.
    names = {"mlm_logits": "mlm_logits", "sop_logits": "nsp_logits"}
    return _renamed(batches, names)


def _renamed(batches, names):
    """Batches with some labels and weights, by new names to the old ones."""

    def rename(values):
        return {new: values[old] for new, old in names.items()}

    return batches.map(
        lambda inputs, labels, weights: (
            inputs,
            rename(labels),
            rename(weights),
        )
    )


def _left_to_right(batches):
    return data.left_to_right_batches(batches)


def _the_masked(max_seq_length, max_predictions_per_seq):
    return max_predictions_per_seq


def _all_but_the_first(max_seq_length, max_predictions_per_seq):
    return max_seq_length - 1


OBJECTIVES = {
    objective.name: objective
    for objective in (
        Objective(
            name=PUBLISHED,
            parts=("pooler", "masked_lm_head", "nsp_head"),
            terms=_masked_tokens_and_next_sentences,
            view=_as_they_are,
            num_predictions=_the_masked,
            label="random_next",
        ),
        Objective(
            name="mlm_sop",
            parts=("pooler", "masked_lm_head", "sop_head"),
            terms=_masked_tokens_and_sentence_order,
            view=_with_sentence_order,
            num_predictions=_the_masked,
            label="swapped",
        ),
        Objective(
            name="mlm",
            parts=("masked_lm_head",),
            terms=_masked_tokens,
            view=_without_next_sentences,
            num_predictions=_the_masked,
        ),
        Objective(
            name="left_to_right",
            parts=("masked_lm_head",),
            terms=_masked_tokens,
            view=_left_to_right,
            num_predictions=_all_but_the_first,
            is_decoder=True,
        ),
    )
}
