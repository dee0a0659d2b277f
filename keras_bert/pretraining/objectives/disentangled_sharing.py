"""Replaced-token detection with gradient-disentangled embedding sharing.

References:
    [DeBERTaV3](https://arxiv.org/abs/2111.09543), section 3.3
"""

import numpy as np

from keras_bert.layers.embeddings.disentangled_embeddings import (
    DisentangledEmbeddings,
)
from keras_bert.models.heads import add_heads
from keras_bert.pretraining.objectives.replaced_tokens import read_generator
from keras_bert.pretraining.objectives.replaced_tokens import trainable_models

_TABLE = "embeddings/word_embeddings"


def disentangled_models(discriminator, recipe, read):
    """Create the `TrainableModels` for a discriminator and a generator.

    The word embeddings of the discriminator are the sum of the generator's
    embeddings, without gradient, and a delta matrix that is initialized to
    zeros. During training, only the delta is stored for the discriminator. The
    saved model contains the sum. A new generator has the width of the
    discriminator and `generator_size` times its depth. With `init_checkpoint`,
    the generator is read from its `generator/` folder.

    Args:
        discriminator: `PretrainedModel` with a replaced-token head.
        recipe: `PretrainingRecipe`.
        read: callable that loads a model, normally `from_pretrained`.

    Returns:
        A `TrainableModels`.

    Raises:
        ValueError: the generator is missing or has different sizes, or the
            discriminator has an enhanced mask decoder.
    """
    config = discriminator.config
    if config.enhanced_mask_decoder:
        raise ValueError(
            "`enhanced_mask_decoder` must be false in the config of a "
            "discriminator; its generator has one. Received: "
            "enhanced_mask_decoder=True."
        )
    own = discriminator.weights[_TABLE]
    if recipe.init_checkpoint:
        generator = read_generator(recipe, config, read)
        shared = generator.weights[_TABLE]
        own.assign(np.asarray(own) - np.asarray(shared))
    else:
        generator = type(discriminator).from_config(
            config.generator(recipe.generator_size),
            discriminator.tokenizer_settings,
            ["masked_lm_head"],
        )
        own.assign(np.zeros(own.shape))
    embeddings = DisentangledEmbeddings(
        discriminator.backbone.embeddings,
        generator.backbone.embeddings,
        name="disentangled_embeddings",
    )
    backbone = discriminator.backbone.above(embeddings)
    return trainable_models(
        generator,
        discriminator,
        recipe.random_seed,
        add_heads(backbone, discriminator.heads, discriminator.model.name),
        added={_TABLE: generator.weights[_TABLE]},
    )
