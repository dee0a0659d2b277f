"""Distillation, where a student learns the predictions of a teacher.

References:
    [DistilBERT](https://arxiv.org/abs/1910.01108), sections 2 and 3
"""

import keras
from absl import logging
from keras import ops

from keras_bert import features
from keras_bert.pretraining.objectives.terms import LabelTerm
from keras_bert.pretraining.objectives.terms import TokenTerm
from keras_bert.pretraining.objectives.trainable_models import TrainableModels

_TEMPERATURE = 2.0
_HEAD = "masked_lm_head"


def divergence(outputs, labels):
    """Compute the KL divergence between student and teacher predictions.

    Args:
        outputs, labels: dicts with `token_logits`, float32 `(batch_size,
            seq_length, vocab_size)`, of the student and of its teacher.

    Returns:
        A dict with `loss`, float32 `(batch_size, seq_length)`: the KL
        divergence of the temperature-scaled predictions, multiplied by the
        squared temperature to keep the scale of the gradients.
    """
    student, teacher = (
        x["token_logits"] / _TEMPERATURE for x in (outputs, labels)
    )
    words = ops.softmax(teacher)
    cross, own = (
        ops.categorical_crossentropy(words, x, from_logits=True)
        for x in (student, teacher)
    )
    return {"loss": _TEMPERATURE**2 * (cross - own)}


def cosine_distance(outputs, labels):
    """Compute the cosine distance between the hidden states of two models.

    The arguments are the same as in `divergence`.
    """
    student, teacher = (
        ops.normalize(ops.cast(x["sequence_output"], "float32"))
        for x in (outputs, labels)
    )
    return {"loss": 1.0 - ops.sum(student * teacher, axis=-1)}


def distillation_terms():
    """Return the loss terms with the loss weights of DistilBERT."""
    return [
        TokenTerm("teacher", ("token_logits",), divergence, factor=5.0),
        LabelTerm("mlm_logits", factor=2.0),
        TokenTerm("cosine", ("sequence_output",), cosine_distance),
    ]


def distillation_models(student, recipe, read):
    """Create the `TrainableModels` of a student of `teacher_dir`.

    A new student is initialized with layers of its teacher; see `copy_layers`.

    Args:
        student: `PretrainedModel` with a masked-LM head.
        recipe: `PretrainingRecipe`.
        read: callable that loads a model, normally `from_pretrained`.

    Returns:
        A `TrainableModels`. Its training states do not contain the teacher.

    Raises:
        ValueError: the teacher has a different vocabulary or hidden size,
            supports only shorter sequences, or has no masked-LM head.
    """
    teacher = read(recipe.teacher_dir, lowercase=recipe.do_lower_case)
    teacher = teacher.with_parts([_HEAD])
    teacher.sequence_length(recipe.max_seq_length)
    _check_likeness(student, teacher, recipe.teacher_dir)
    if recipe.init_checkpoint is None:
        copy_layers(student, teacher)
    said = keras.Model(teacher.backbone.inputs, _of_all_tokens(teacher))
    feature = features.MASKED_LM_POSITIONS
    positions = keras.Input((None,), dtype="int32", name=feature.name)
    outputs = _of_all_tokens(student)
    outputs["mlm_logits"] = student.heads[_HEAD](
        outputs["sequence_output"], positions
    )
    inputs = {**student.backbone.inputs, feature.name: positions}

    def targets(inputs):
        known = {name: inputs[name] for name in teacher.backbone.inputs}
        return said(known, training=False)

    name = student.family.model_name("student")
    model = keras.Model(inputs, outputs, name=name)
    return TrainableModels(model, {"": student}, targets=targets)


def _of_all_tokens(bert):
    states = bert.backbone.states[-1]
    logits = bert.heads[_HEAD](states)
    return {"token_logits": logits, "sequence_output": states}


def _check_likeness(student, teacher, directory):
    def facts(bert):
        return {
            "vocabulary": bert.tokenizer_settings.vocabulary.sha256[:8],
            "number of rows": bert.config.sizes["V"],
            "width": bert.config.sizes["H"],
            "direction": "left to right" if bert.config.is_decoder else "both",
        }

    theirs = facts(teacher)
    for name, own in facts(student).items():
        other = theirs[name]
        if own != other:
            raise ValueError(
                f"`teacher_dir` must contain a model with the same {name} as "
                f"the student. Received: {own} of the student, {other} in "
                f"{directory}."
            )


def copy_layers(student, teacher):
    """Copy teacher weights with matching names and shapes to a student.

    Args:
        student, teacher: `PretrainedModel`s. `student_layer_indices` selects
            the layers of the teacher.

    Raises:
        ValueError: the student has more layers than its teacher.
    """
    config, fresh = student.config, []
    known = teacher.smaller(config.sizes["L"]).weights
    for path, weight in student.weights.items():
        if path in known and known[path].shape == weight.shape:
            weight.assign(known[path])
        else:
            fresh.append(path)
    logging.info("The student is initialized with layers of its teacher.")
    if fresh:
        logging.warning("Newly initialized weights: %s.", ", ".join(fresh))
