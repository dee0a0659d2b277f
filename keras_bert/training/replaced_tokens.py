"""Replaced tokens: a generator deceives a discriminator, both learn.

References:
    [ELECTRA](https://arxiv.org/abs/2003.10555), sections 2 and 3
"""

import dataclasses
import os

import keras
import numpy as np
from keras import ops

from keras_bert import features
from keras_bert.layers.token_replacement import TokenReplacement
from keras_bert.training.flops import training_flops
from keras_bert.training.learner import Learner
from keras_bert.training.terms import LabelTerm

GENERATOR = "generator"
_HEAD = "masked_lm_head"
_LOGITS, _LABELS = "replaced_token_logits", "is_replaced"


@dataclasses.dataclass(frozen=True)
class ReplacedTokenTerm:
    """The binary cross entropy of each token, replaced or not.

    The labels come from the model, because its generator draws the tokens.
    """

    factor: float = 50.0

    name = "replaced_token"
    outputs = (_LOGITS, _LABELS)

    def total_weight(self, weights):
        """Count the tokens of a batch; see `LabelTerm`."""
        return ops.sum(weights["tokens"])

    def sums(self, outputs, labels, weights):
        """Sums over all tokens; see `LabelTerm`.

        Besides `loss` and `accuracy` there is `share`, of replaced tokens.
        """
        logits, weights = outputs[_LOGITS], weights["tokens"]
        is_replaced = ops.cast(outputs[_LABELS], "float32")
        losses = ops.binary_crossentropy(is_replaced, logits, from_logits=True)
        is_right = ops.cast((logits > 0) == (is_replaced > 0), "float32")
        return {
            "loss": ops.sum(losses * weights),
            "accuracy": ops.sum(is_right * weights),
            "share": ops.sum(is_replaced * weights),
            "weight": ops.sum(weights),
        }


def replaced_token_terms():
    """The terms of the loss, with the factors of the paper."""
    return [LabelTerm("mlm_logits"), ReplacedTokenTerm()]


def electra_learner(discriminator, recipe, read):
    """Makes a discriminator that learns beside a generator.

    Both have the same tables of embeddings. A fresh generator is a share,
    `generator_size`, of the discriminator's width; a run that goes on reads
    it from `generator/` in `init_checkpoint`.

    Args:
        discriminator: `PretrainedModel` with a replaced-token head.
        recipe: `PretrainingRecipe`.
        read: `from_pretrained`.

    Returns:
        A `Learner`.

    Raises:
        ValueError: the generator is missing, larger than the discriminator
            or of other tables.
    """
    if recipe.init_checkpoint:
        before = _read_generator(recipe, discriminator.config, read)
        generator = _generator(before.config, discriminator)
        _copy_own_weights(before, generator, discriminator)
    else:
        config = discriminator.config.generator(recipe.generator_size)
        generator = _generator(config, discriminator)
    models = generator, discriminator

    def flops(*lengths):
        return sum(
            training_flops(x.backbone, x.heads, *lengths) for x in models
        )

    return Learner(
        _both(generator, discriminator, recipe.random_seed),
        {GENERATOR: generator, "": discriminator},
        flops=flops,
    )


def _both(generator, discriminator, seed):
    """The model of a step: generator, draw, discriminator."""
    feature = features.MASKED_LM_IDS
    inputs = dict(generator.model.input)
    positions = inputs[features.MASKED_LM_POSITIONS.name]
    inputs[feature.name] = keras.Input(
        (None,), dtype="int32", name=feature.name
    )
    # As models, because the layers of both have the same names.
    generate, discriminate = (
        keras.Model(x.model.input, x.model.output, name=name)
        for x, name in (
            (generator, GENERATOR),
            (discriminator, "discriminator"),
        )
    )
    known = {name: inputs[name] for name in generator.model.input}
    logits = generate(known)["mlm_logits"]
    ids = inputs[features.INPUT_IDS.name]
    new_ids, is_replaced = TokenReplacement(seed, name="replacement")(
        ids, positions, inputs[feature.name], logits
    )
    read = {name: inputs[name] for name in discriminator.model.input}
    found = discriminate({**read, features.INPUT_IDS.name: new_ids})
    outputs = {"mlm_logits": logits, _LOGITS: found[_LOGITS]}
    outputs[_LABELS] = is_replaced
    name = discriminator.family.model_name("learner")
    return keras.Model(inputs, outputs, name=name)


def _generator(config, discriminator):
    """Makes a fresh generator on the tables of its discriminator."""
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
    """Fills what a generator does not share with its discriminator."""
    shared = {id(weight) for weight in discriminator.weights.values()}
    for path, weight in generator.weights.items():
        if id(weight) not in shared:
            weight.assign(np.asarray(before.weights[path]))


def _read_generator(recipe, other, read):
    """The generator to go on with, held to the config of its discriminator."""
    directory = os.path.join(recipe.init_checkpoint, GENERATOR)
    generator = read(directory, lowercase=recipe.do_lower_case)
    generator.check_parts(_HEAD)
    own = generator.config
    for letter in "VEPS":
        if own.sizes[letter] != other.sizes[letter]:
            raise ValueError(
                f"A generator must have the `{own.size_keys[letter]}` of its "
                f"discriminator. Received: {own.sizes[letter]}, "
                f"{other.sizes[letter]}."
            )
    if own.hidden_size > other.hidden_size:
        raise ValueError(
            "A generator must be at most as wide as its discriminator. "
            f"Received: hidden_size={own.hidden_size}, {other.hidden_size}."
        )
    return generator
