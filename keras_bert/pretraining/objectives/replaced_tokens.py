"""Replaced-token detection with a generator and a discriminator.

References:
    [ELECTRA](https://arxiv.org/abs/2003.10555), sections 2 and 3
"""

import os

import keras
import numpy as np
from keras import ops

from keras_bert import features
from keras_bert.layers.heads.token_replacement import TokenReplacement
from keras_bert.pretraining.objectives.terms import LabelTerm
from keras_bert.pretraining.objectives.terms import TokenTerm
from keras_bert.pretraining.objectives.trainable_models import TrainableModels

GENERATOR = "generator"
_HEAD = "masked_lm_head"
_LOGITS, _LABELS = "replaced_token_logits", "is_replaced"


def detection(outputs, labels):
    """Compute the loss and accuracy of replaced-token detection.

    The model returns the labels, because its generator samples the tokens.

    Args:
        outputs: dict with `replaced_token_logits`, float32, and `is_replaced`,
            int32, both `(batch_size, seq_length)`.
        labels: dict, unused.

    Returns:
        A dict of float32 `(batch_size, seq_length)` tensors: `loss` (binary
        cross-entropy), `accuracy` and `share` (1 at replaced tokens).
    """
    logits, share = outputs[_LOGITS], ops.cast(outputs[_LABELS], "float32")
    return {
        "loss": ops.binary_crossentropy(share, logits, from_logits=True),
        "accuracy": ops.cast((logits > 0) == (share > 0), "float32"),
        "share": share,
    }


def replaced_token_terms():
    """Return the loss terms with the loss weights of the paper."""
    detected = TokenTerm("replaced_token", (_LOGITS, _LABELS), detection, 50.0)
    return [LabelTerm("mlm_logits"), detected]


def replaced_token_models(discriminator, recipe, read):
    """Create the `TrainableModels` for a discriminator and a generator.

    Both share their embeddings. A new generator has `generator_size` times
    the width of the discriminator. With `init_checkpoint`, the generator is
    read from its `generator/` folder.

    Args:
        discriminator: `PretrainedModel` with a replaced-token head.
        recipe: `PretrainingRecipe`.
        read: callable that loads a model, normally `from_pretrained`.

    Returns:
        A `TrainableModels`.

    Raises:
        ValueError: the generator is missing, is larger than the discriminator
            or has embeddings of different sizes.
    """
    if recipe.init_checkpoint:
        before = read_generator(recipe, discriminator.config, read)
        generator = _generator(before.config, discriminator)
        _copy_own_weights(before, generator, discriminator)
    else:
        config = discriminator.config.generator(recipe.generator_size)
        generator = _generator(config, discriminator)
    return trainable_models(generator, discriminator, recipe.random_seed)


def trainable_models(generator, discriminator, seed, model=None, **more):
    """Create the `TrainableModels` for a generator and a discriminator.

    Args:
        generator, discriminator: `PretrainedModel`s.
        seed: int, random seed for sampling tokens.
        model: `keras.Model` to train instead of the discriminator's model.
        **more: other arguments of `TrainableModels`.
    """
    name = discriminator.family.model_name("learner")
    both = _both(generator.model, model or discriminator.model, seed, name)
    kept = {GENERATOR: generator, "": discriminator}
    return TrainableModels(both, kept, **more)


def _both(generator, discriminator, seed, name):
    """Build a model of generator, sampling layer and discriminator."""
    feature = features.MASKED_LM_IDS
    inputs = dict(generator.input)
    positions = inputs[features.MASKED_LM_POSITIONS.name]
    inputs[feature.name] = keras.Input(
        (None,), dtype="int32", name=feature.name
    )
    # Wrap both as models, because their layers have the same names.
    generate, discriminate = (
        keras.Model(x.input, x.output, name=part)
        for x, part in (
            (generator, GENERATOR),
            (discriminator, "discriminator"),
        )
    )
    known = {name: inputs[name] for name in generator.input}
    logits = generate(known)["mlm_logits"]
    ids = inputs[features.INPUT_IDS.name]
    new_ids, is_replaced = TokenReplacement(seed, name="replacement")(
        ids, positions, inputs[feature.name], logits
    )
    read = {name: inputs[name] for name in discriminator.input}
    detected = discriminate({**read, features.INPUT_IDS.name: new_ids})
    outputs = {"mlm_logits": logits, _LOGITS: detected[_LOGITS]}
    outputs[_LABELS] = is_replaced
    return keras.Model(inputs, outputs, name=name)


def _generator(config, discriminator):
    """Create a generator that shares the embeddings of its discriminator."""
    family = discriminator.family
    tables = discriminator.backbone.embeddings.tables
    backbone = family.backbone(config, tables)
    return type(discriminator)(
        config,
        discriminator.tokenizer_settings,
        backbone,
        family.heads(config, backbone.embeddings),
        [_HEAD],
    )


def _copy_own_weights(before, generator, discriminator):
    """Copy the weights that a generator does not share."""
    shared = {id(weight) for weight in discriminator.weights.values()}
    for path, weight in generator.weights.items():
        if id(weight) not in shared:
            weight.assign(np.asarray(before.weights[path]))


def read_generator(recipe, other, read):
    """Load the generator in `init_checkpoint`.

    Args:
        recipe: `PretrainingRecipe`.
        other: config of the discriminator, used for checks.
        read: callable that loads a model, normally `from_pretrained`.

    Raises:
        ValueError: the generator is larger than the discriminator or has
            embeddings of different sizes.
    """
    directory = os.path.join(recipe.init_checkpoint, GENERATOR)
    generator = read(directory, lowercase=recipe.do_lower_case)
    generator.check_parts(_HEAD)
    own = generator.config
    is_like = all(own.sizes.get(x) == other.sizes.get(x) for x in "VEPSB")
    if not is_like or own.hidden_size > other.hidden_size:
        raise ValueError(
            "The generator must have the embedding sizes of the "
            f"discriminator and must not be wider. Received: {own.sizes} in "
            f"{directory}, {other.sizes} in the discriminator."
        )
    return generator
