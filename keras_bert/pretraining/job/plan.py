"""Plan of a pre-training run, with all checks that do not need TensorFlow."""

import concurrent.futures
import dataclasses
import functools
import os
import pathlib
import re

from absl import logging

from keras_bert.checkpoints.family import read_config
from keras_bert.checkpoints.hub import check_name
from keras_bert.checkpoints.layout import CONFIG_FILES
from keras_bert.config import StrictConfig
from keras_bert.files.atomic import check_writable
from keras_bert.files.outputs import check_no_input
from keras_bert.files.patterns import expand_patterns
from keras_bert.pretraining.job.model_config import check_lengths
from keras_bert.pretraining.job.model_config import resolve_model_config
from keras_bert.pretraining.job.recipe import PretrainingRecipe
from keras_bert.pretraining.job.record_facts import RecordFacts
from keras_bert.pretraining.job.record_facts import read_record_facts
from keras_bert.pretraining.job.record_facts import verified_sha256
from keras_bert.pretraining.job.run_record import check_run
from keras_bert.pretraining.objectives.objectives import OBJECTIVES
from keras_bert.pretraining.objectives.objectives import Objective
from keras_bert.pretraining.objectives.objectives import resolved_fields
from keras_bert.pretraining.records.layouts import LAYOUTS
from keras_bert.text.tokenizer_kinds import KINDS
from keras_bert.text.tokenizer_kinds import kind_of_file
from keras_bert.text.tokenizer_kinds import vocabulary_of_file
from keras_bert.text.wordpiece.vocabulary import Vocabulary

# Matches the weight files of a checkpoint.
_has_weights = re.compile(
    r".*\.(h5|safetensors|bin|index|data-\d+-of-\d+|npz|index\.json)"
).fullmatch
_OTHER_FILES = CONFIG_FILES | {"tokenizer.json"}
# Fields that do not change the weights, and paths of files that are recorded as
# hashes.
_NOT_RECORDED = frozenset(
    """allow_changed_flags eval_batch_size eval_file eval_steps jit
    keep_checkpoint_max log_steps on_nan output_dir save_checkpoints_steps
    steps_per_execution strategy input_file vocab_file bert_config_file
    init_checkpoint do_lower_case teacher_dir sources""".split()
)
# Fields that older run records lack, and the values that are not recorded.
_OPTIONAL_FIELDS = {
    "mask_special_tokens": (None, False),
    "mimetic_initialization": (False,),
    "parallel_parts": (1,),
}
_STATES = "states"  # Training states of an unfinished run.
# Defaults for fields that neither the recipe nor a manifest sets.
_RECORD_DEFAULTS = {
    "masking": "static",
    "max_seq_length": 128,
    "max_predictions_per_seq": 20,
}
_MASKING_DEFAULTS = {
    "masked_lm_prob": 0.15,
    "do_whole_word_mask": False,
    "ngram": 1,
    "mask_special_tokens": False,
}


@dataclasses.dataclass(frozen=True)
class PretrainingPlan:
    """Recipe with resolved defaults, and the files of the run.

    Args:
        recipe: `PretrainingRecipe`.
        objective: `Objective` named by the recipe.
        training_paths, evaluation_paths: lists of str, the record files.
        facts: `RecordFacts` of all record files.
        vocabulary: vocabulary of the tokenizer; None if `init_checkpoint` has
            no separate vocabulary file.
        vocab_file: str, path of the vocabulary.
        lowercase: bool; None if `vocabulary` is None or if the files of the
            tokenizer define the casing.
        config: config of a new model of any family; None if `init_checkpoint`
            is set.
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

    @property
    def is_packed(self):
        """Return True if the examples contain several texts."""
        packings = self.facts.manifest_values["packing"].values()
        return any(LAYOUTS[name].joins for name in packings)

    @functools.cached_property
    def settings(self):
        """Return all settings that affect the weights, with file hashes."""
        recipe, objective = dataclasses.asdict(self.recipe), self.objective
        records = [self.facts.hashes[path] for path in self.training_paths]
        own = {name for x in OBJECTIVES.values() for name in x.fields}
        left_out = _NOT_RECORDED | own - {*objective.fields}
        left_out |= {
            name
            for name, values in _OPTIONAL_FIELDS.items()
            if recipe[name] in values
        }
        checkpoint = recipe["init_checkpoint"]
        read = {**objective.reads(self.recipe), "checkpoint": checkpoint}
        return {
            **{name: recipe[name] for name in recipe if name not in left_out},
            "vocabulary": self.vocabulary and self.vocabulary.sha256,
            "do_lower_case": self.lowercase,
            "config": self.config and self.config.fields(),
            **{name: _checkpoint_hashes(path) for name, path in read.items()},
            "records": {f"file {i}": x for i, x in enumerate(records, start=1)},
        }


def plan_pretraining(recipe: PretrainingRecipe) -> PretrainingPlan:
    """Resolve the defaults of a recipe and run all fast checks.

    Args:
        recipe: settings of the run.

    Returns:
        A `PretrainingPlan` for `run_plan`.

    Raises:
        ValueError: a file is missing or invalid, the manifests and the recipe
            disagree, or the output directory contains a run with different
            settings.
    """
    training_paths = expand_patterns(recipe.input_file)
    evaluation_paths = []
    if recipe.eval_file:
        evaluation_paths = expand_patterns(recipe.eval_file)
    vocab_file, vocabulary = _vocabulary(recipe)
    config = None
    if not recipe.init_checkpoint:
        config = read_config(recipe.bert_config_file)
    objective, paths = OBJECTIVES[recipe.objective], [vocab_file]
    paths += [recipe.bert_config_file, *objective.reads(recipe).values()]
    paths += training_paths + evaluation_paths
    check_no_input(recipe.output_dir, filter(None, paths))
    facts = read_record_facts(training_paths + evaluation_paths)
    facts.check_packing(objective)
    recipe = _resolve(recipe, facts)
    lowercase = None
    if vocabulary is not None:
        lowercase = _checked_casing(recipe, facts, vocabulary, vocab_file)
    if config is not None:
        config = resolve_model_config(recipe, config, vocabulary, facts)
        check_lengths(recipe, config)
    plan = PretrainingPlan(
        recipe,
        objective,
        training_paths,
        evaluation_paths,
        facts,
        vocabulary,
        vocab_file,
        lowercase,
        config,
    )
    output_dir = pathlib.Path(recipe.output_dir)
    check_run(output_dir, plan.settings, recipe.allow_changed_flags)
    check_writable(output_dir)
    return plan


def _checkpoint_hashes(directory):
    """Return a dict mapping file names to hashes, or a Hub model name."""
    if not directory or not os.path.isdir(directory):
        return directory
    # The model of an unfinished run is read from its training states.
    paths = _checkpoint_files(directory)
    paths = paths or _checkpoint_files(os.path.join(directory, _STATES))
    with concurrent.futures.ThreadPoolExecutor() as threads:
        hashes = threads.map(verified_sha256, paths)
        return {path.name: x for path, x in zip(paths, hashes, strict=True)}


def _checkpoint_files(directory):
    of_tokenizers = {
        name
        for settings_class in KINDS.values()
        for name in settings_class.files
    }
    names = _OTHER_FILES | of_tokenizers
    return [
        path
        for path in sorted(pathlib.Path(directory).glob("*"))
        if path.is_file() and (path.name in names or _has_weights(path.name))
    ]


def _checked_casing(recipe, facts, vocabulary, vocab_file):
    """Check `do_lower_case` against the files and return it.

    Raises:
        ValueError: the records were created with a different tokenizer.
    """
    facts.check_vocabulary(vocabulary, vocab_file)
    settings_class = kind_of_file(vocab_file)
    flag = {"`do_lower_case`": recipe.do_lower_case}
    hints = {**flag, **facts.manifest_values["do_lower_case"]}
    lowercase = settings_class.casing(vocab_file, hints)
    facts.check_tokenizer(
        settings_class.for_corpus(vocab_file, lowercase), vocab_file
    )
    return lowercase


def _vocabulary(recipe):
    """Return the path of the vocabulary and the vocabulary or None."""
    if not recipe.init_checkpoint:
        if not (recipe.vocab_file and recipe.bert_config_file):
            raise ValueError(
                "Pass `init_checkpoint`, or both `bert_config_file` and "
                "`vocab_file`. Received: neither."
            )
        return recipe.vocab_file, vocabulary_of_file(recipe.vocab_file)
    directory = pathlib.Path(recipe.init_checkpoint)
    if not directory.is_dir():
        check_name(recipe.init_checkpoint)
    for name in (settings_class.files[0] for settings_class in KINDS.values()):
        for path in (directory / name, directory / _STATES / name):
            if path.is_file():
                return str(path), vocabulary_of_file(path)
    return recipe.init_checkpoint, None


def _resolve(recipe, facts):
    """Resolve the missing fields of a recipe from the manifests."""
    resolved = {
        name: facts.resolve(name, getattr(recipe, name), default)
        for name, default in _RECORD_DEFAULTS.items()
    }
    given = {name: getattr(recipe, name) for name in _MASKING_DEFAULTS}
    passed = {name: x for name, x in given.items() if x is not None}
    objective = OBJECTIVES[recipe.objective]
    if resolved["masking"] == "static":
        if passed:
            raise ValueError(
                f"{', '.join(f'`{name}`' for name in given)} need "
                "masking='dynamic', because static records are already masked. "
                f"Received: {', '.join(f'{k}={x}' for k, x in passed.items())}."
            )
        if objective.masking:
            raise ValueError(
                f"objective='{objective.name}' needs dynamic records, because "
                "it masks differently than static records. Create them with "
                "masking='dynamic'. Received: masking=static."
            )
    if recipe.mask_special_tokens and not objective.masks_special:
        raise ValueError(
            "`mask_special_tokens` must be False with "
            f"objective='{objective.name}', because its generator replaces no "
            "special tokens. Received: mask_special_tokens=True."
        )
    own = {x: y for x, y in objective.masking.items() if x in given}
    resolved |= {**_MASKING_DEFAULTS, **own, **passed}
    resolved |= resolved_fields(objective, vars(recipe))
    recipe = dataclasses.replace(recipe, **resolved)
    wanted = round(recipe.max_seq_length * recipe.masked_lm_prob)
    if "masked_lm_prob" in passed and wanted > recipe.max_predictions_per_seq:
        logging.warning(
            f"masked_lm_prob={recipe.masked_lm_prob:g} masks {wanted} of "
            f"{recipe.max_seq_length} tokens, but at most "
            f"max_predictions_per_seq={recipe.max_predictions_per_seq} are "
            "masked. Increase `max_predictions_per_seq`."
        )
    return recipe
