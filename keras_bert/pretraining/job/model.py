"""Model and optimizer of a pre-training run."""

from keras_bert.checkpoints import PretrainedModel
from keras_bert.checkpoints import from_pretrained
from keras_bert.models.mimetic import initialize_mimetic
from keras_bert.optimizers.optimizers import bert_adamw
from keras_bert.optimizers.optimizers import bert_lamb
from keras_bert.optimizers.optimizers import bert_stable_adamw
from keras_bert.optimizers.schedules import CosineWarmupDecay
from keras_bert.optimizers.schedules import LinearWarmupDecay
from keras_bert.optimizers.schedules import PolynomialWarmupDecay
from keras_bert.optimizers.schedules import WarmupStableDecay
from keras_bert.pretraining.job.model_config import check_lengths
from keras_bert.pretraining.job.model_config import check_objective
from keras_bert.text.tokenizer_kinds import kind_of_file

_OPTIMIZERS = {
    "adamw": bert_adamw,
    "lamb": bert_lamb,
    "stable_adamw": bert_stable_adamw,
}
_SCHEDULES = {
    "linear": LinearWarmupDecay,
    "polynomial": PolynomialWarmupDecay,
    "cosine": CosineWarmupDecay,
    "wsd": WarmupStableDecay,
}


def make_bert(plan):
    """Create the `PretrainedModel` to train, or load `init_checkpoint`.

    Raises:
        ValueError: `init_checkpoint` does not match the records or the
            objective.
    """
    objective, recipe = plan.objective, plan.recipe
    if plan.config is not None:
        settings_class = kind_of_file(plan.vocab_file)
        tokenizer = settings_class.for_corpus(plan.vocab_file, plan.lowercase)
        bert = PretrainedModel.from_config(
            plan.config, tokenizer, objective.parts
        )
        if recipe.mimetic_initialization:
            initialize_mimetic(bert.backbone)
        return bert
    lowercase, facts = plan.lowercase, plan.facts
    if lowercase is None:
        lowercase = facts.resolve("do_lower_case", recipe.do_lower_case, None)
    bert = from_pretrained(
        recipe.init_checkpoint, recipe.allow_missing, lowercase
    )
    if bert.config.is_decoder != objective.is_decoder:
        raise ValueError(
            "The model in `init_checkpoint` must have "
            f"is_decoder={objective.is_decoder} for this `objective`. "
            f"Received: objective={objective.name}, "
            f"is_decoder={bert.config.is_decoder}."
        )
    check_objective(recipe, bert.config)
    check_lengths(recipe, bert.config)
    if plan.vocabulary is None:  # The checkpoint had to be loaded first.
        tokenizer, source = bert.tokenizer_settings, recipe.init_checkpoint
        facts.check_vocabulary(tokenizer.vocabulary, source)
        facts.check_tokenizer(tokenizer, source)
    return bert.with_parts(objective.parts)


def make_optimizer(recipe, model):
    """Create the optimizer of a recipe for a model."""
    schedule = _SCHEDULES[recipe.learning_rate_decay](
        recipe.learning_rate, recipe.num_train_steps, recipe.num_warmup_steps
    )
    return _OPTIMIZERS[recipe.optimizer](model, schedule, beta_2=recipe.beta_2)
