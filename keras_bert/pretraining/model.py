"""The BERT that a run trains, and its optimizer."""

import dataclasses

from keras_bert.checkpoints import Bert
from keras_bert.checkpoints import from_pretrained
from keras_bert.pretraining.plan import check_lengths
from keras_bert.pretraining.plan import settled_casing
from keras_bert.text.tokenizer import BertTokenizer
from keras_bert.training.optimizers import bert_adamw
from keras_bert.training.optimizers import bert_lamb
from keras_bert.training.schedules import CosineWarmupDecay
from keras_bert.training.schedules import LinearWarmupDecay
from keras_bert.training.schedules import PolynomialWarmupDecay

_OPTIMIZERS = {"adamw": bert_adamw, "lamb": bert_lamb}
_SCHEDULES = {
    "linear": LinearWarmupDecay,
    "polynomial": PolynomialWarmupDecay,
    "cosine": CosineWarmupDecay,
}
# The optional parts that an objective trains.
_PARTS = {
    "mlm_nsp": ("pooler", "masked_lm_head", "nsp_head"),
    "mlm": ("masked_lm_head",),
    "left_to_right": ("masked_lm_head",),
}


def make_bert(plan):
    """Makes the BERT that the objective trains, with the parts it trains.

    Args:
        plan: `PretrainingPlan`.

    Returns:
        `Bert`, fresh or read.

    Raises:
        ValueError: the checkpoint to go on from does not fit the records or
            the objective.
    """
    parts = _PARTS[plan.recipe.objective]
    if plan.config is not None:
        tokenizer = BertTokenizer(plan.vocabulary, lowercase=plan.lowercase)
        return Bert.from_config(plan.config, tokenizer, parts)
    recipe = plan.recipe
    bert = from_pretrained(recipe.init_checkpoint, recipe.allow_missing)
    if bert.config.is_decoder != (recipe.objective == "left_to_right"):
        raise ValueError(
            "--init_checkpoint must be of a model that looks where "
            "--objective does. Received: objective="
            f"{recipe.objective}, is_decoder={bert.config.is_decoder}."
        )
    check_lengths(recipe, bert.config)
    return _as_records(plan, bert).with_parts(parts)


def _as_records(plan, bert):
    """The BERT with the casing of the records, if its own is not told."""
    tokenizer, lowercase = bert.tokenizer, plan.lowercase
    if lowercase is None:  # Only the checkpoint's reader knows what it says.
        source = plan.recipe.init_checkpoint
        plan.facts.check_vocabulary(tokenizer.vocabulary, source)
        lowercase = settled_casing(
            plan.recipe,
            plan.facts,
            tokenizer.vocabulary,
            {source: tokenizer.lowercase},
        )
    if tokenizer.lowercase == lowercase:
        return bert
    tokenizer = BertTokenizer(
        tokenizer.vocabulary,
        lowercase=lowercase,
        max_chars_per_word=tokenizer.max_chars_per_word,
    )
    return dataclasses.replace(bert, tokenizer=tokenizer)


def make_optimizer(recipe, model):
    """Makes the optimizer of a recipe.

    Args:
        recipe: `PretrainingRecipe`.
        model: the model that it trains.
    """
    schedule = _SCHEDULES[recipe.learning_rate_decay](
        recipe.learning_rate, recipe.num_train_steps, recipe.num_warmup_steps
    )
    return _OPTIMIZERS[recipe.optimizer](model, schedule)
