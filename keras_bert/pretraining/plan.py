"""What a run is going to do, settled and checked without TensorFlow."""

import dataclasses
import importlib.util
import os
import pathlib

from keras_bert.artifacts import check_writable
from keras_bert.checkpoints.family import read_config
from keras_bert.config import StrictConfig
from keras_bert.files import expand_patterns
from keras_bert.pretraining.fitting_config import check_lengths
from keras_bert.pretraining.fitting_config import fitting_config
from keras_bert.pretraining.memory import check_fits
from keras_bert.pretraining.recipe import PretrainingRecipe
from keras_bert.pretraining.record_facts import RecordFacts
from keras_bert.pretraining.record_facts import read_record_facts
from keras_bert.pretraining.run_settings import run_settings
from keras_bert.text.tokenizer_kinds import KINDS
from keras_bert.text.tokenizer_kinds import kind_of_file
from keras_bert.text.tokenizer_kinds import vocabulary_of_file
from keras_bert.text.vocabulary import Vocabulary
from keras_bert.training.objectives import OBJECTIVES
from keras_bert.training.objectives import Objective
from keras_bert.training.run_record import check_run

_STATES = "states"  # Of a run that is not finished.
_HUB = "huggingface_hub"  # Where another name may be of a model.
_LENGTH, _PREDICTIONS = 128, 20
_MASKED_LM_PROB = 0.15


@dataclasses.dataclass(frozen=True)
class PretrainingPlan:
    """A recipe with all that was left open in it.

    Args:
        recipe: `PretrainingRecipe`.
        objective: `Objective`, the one that the recipe names.
        training_paths, evaluation_paths: lists of str, the record files.
        facts: `RecordFacts` of both.
        vocabulary: `Vocabulary`, or that of another kind of tokenizer; None
            if the checkpoint to go on from has no file of it by itself.
        vocab_file: str, where it stands.
        lowercase: bool; None with `vocabulary` None, and of a kind of
            tokenizer whose files tell it.
        config: config, of any family, of a fresh model, or None.
        settings: dict, what the weights depend on, by its contents.
    """

    recipe: PretrainingRecipe
    objective: Objective
    training_paths: list
    evaluation_paths: list
    facts: RecordFacts
    vocabulary: Vocabulary | None
    vocab_file: str
    lowercase: bool | None
    config: StrictConfig | None
    settings: dict = dataclasses.field(default_factory=dict)


def plan_pretraining(recipe):
    """Settles what a recipe leaves open and checks what costs no time.

    Args:
        recipe: `PretrainingRecipe`.

    Returns:
        `PretrainingPlan`

    Raises:
        ValueError: a file is missing or none, two of them or a flag tell
            different things of the records, or the output directory holds a
            run with other settings.
    """
    training_paths = expand_patterns(recipe.input_file)
    evaluation_paths = []
    if recipe.eval_file:
        evaluation_paths = expand_patterns(recipe.eval_file)
    vocab_file, vocabulary = _vocabulary(recipe)
    config = None
    if not recipe.init_checkpoint:
        config = read_config(recipe.bert_config_file)
    _check_places(recipe, training_paths + evaluation_paths)
    facts = read_record_facts(training_paths + evaluation_paths)
    facts.check_packing(OBJECTIVES[recipe.objective])
    recipe = _settled(recipe, facts)
    lowercase = None
    if vocabulary is not None:
        lowercase = _checked_casing(recipe, facts, vocabulary, vocab_file)
    if config is not None:
        config = fitting_config(recipe, config, vocabulary, facts)
        check_lengths(recipe, config)
        check_fits(config)
    plan = PretrainingPlan(
        recipe,
        OBJECTIVES[recipe.objective],
        training_paths,
        evaluation_paths,
        facts,
        vocabulary,
        vocab_file,
        lowercase,
        config,
    )
    settings = run_settings(plan)
    output_dir = pathlib.Path(recipe.output_dir)
    check_run(output_dir, settings, recipe.allow_changed_flags)
    check_writable(output_dir)
    return dataclasses.replace(plan, settings=settings)


def _checked_casing(recipe, facts, vocabulary, vocab_file):
    """Whether texts are lower-cased, of all that tell it.

    Raises:
        ValueError: the records are of another tokenizer than the file.
    """
    facts.check_vocabulary(vocabulary, vocab_file)
    kind = kind_of_file(vocab_file)
    given = {"--do_lower_case": recipe.do_lower_case}
    claims = {**given, **facts.claims["do_lower_case"]}
    lowercase = kind.casing(vocab_file, claims)
    facts.check_tokenizer(kind.settings(vocab_file, lowercase), vocab_file)
    return lowercase


def _vocabulary(recipe):
    """The vocabulary file and what it holds, if there is one."""
    if not recipe.init_checkpoint:
        if not (recipe.vocab_file and recipe.bert_config_file):
            raise ValueError(
                "Either --init_checkpoint is needed, or --bert_config_file "
                "and --vocab_file."
            )
        return recipe.vocab_file, vocabulary_of_file(recipe.vocab_file)
    directory = pathlib.Path(recipe.init_checkpoint)
    if not directory.is_dir() and not importlib.util.find_spec(_HUB):
        raise ValueError(
            f"No directory {recipe.init_checkpoint!r} exists "
            "(--init_checkpoint)."
        )
    for name in (kind.files[0] for kind in KINDS.values()):
        for path in (directory / name, directory / _STATES / name):
            if path.is_file():
                return str(path), vocabulary_of_file(path)
    return recipe.init_checkpoint, None


def _check_places(recipe, paths):
    """An output is never an input, nor around one."""
    output = os.path.realpath(recipe.output_dir)
    inputs = [*paths, recipe.vocab_file, recipe.bert_config_file]
    for path in [*inputs, recipe.init_checkpoint]:
        real = os.path.realpath(path) if path else ""
        if real == output or real.startswith(output + os.sep):
            raise ValueError(
                "--output_dir must be neither an input nor hold one. "
                f"Received: {path} in {recipe.output_dir}."
            )


def _settled(recipe, facts):
    """The recipe with what the records tell."""
    masking = facts.settled("masking", recipe.masking, "static")
    names = "masked_lm_prob", "do_whole_word_mask", "ngram"
    given = {name: getattr(recipe, name) for name in names}
    if masking == "static" and any(x is not None for x in given.values()):
        received = ", ".join(f"{name}={x}" for name, x in given.items())
        raise ValueError(
            "--masked_lm_prob, --do_whole_word_mask and --ngram are for "
            "--masking=dynamic: static records are masked already. Received: "
            f"{received}."
        )
    return dataclasses.replace(
        recipe,
        masking=masking,
        max_seq_length=facts.settled(
            "max_seq_length", recipe.max_seq_length, _LENGTH
        ),
        max_predictions_per_seq=facts.settled(
            "max_predictions_per_seq",
            recipe.max_predictions_per_seq,
            _PREDICTIONS,
        ),
        masked_lm_prob=_MASKED_LM_PROB
        if recipe.masked_lm_prob is None
        else recipe.masked_lm_prob,
        do_whole_word_mask=bool(recipe.do_whole_word_mask),
        ngram=1 if recipe.ngram is None else recipe.ngram,
    )
