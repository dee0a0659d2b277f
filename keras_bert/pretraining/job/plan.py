"""The plan of a run, settled and checked without TensorFlow."""

import concurrent.futures
import dataclasses
import functools
import os
import pathlib
import re

from absl import logging

from keras_bert.artifacts import check_no_input
from keras_bert.artifacts import check_writable
from keras_bert.checkpoints.family import read_config
from keras_bert.checkpoints.hub import check_name
from keras_bert.checkpoints.layout import CONFIG_FILES
from keras_bert.config import StrictConfig
from keras_bert.files import expand_patterns
from keras_bert.pretraining.examples.masking_rules import SUBSTITUTES
from keras_bert.pretraining.examples.packings import PACKINGS
from keras_bert.pretraining.job.fitting_config import check_lengths
from keras_bert.pretraining.job.fitting_config import fitting_config
from keras_bert.pretraining.job.recipe import PretrainingRecipe
from keras_bert.pretraining.job.record_facts import RecordFacts
from keras_bert.pretraining.job.record_facts import read_record_facts
from keras_bert.pretraining.job.record_facts import verified_sha256
from keras_bert.pretraining.objectives.objectives import OBJECTIVES
from keras_bert.pretraining.objectives.objectives import Objective
from keras_bert.pretraining.objectives.objectives import settled_fields
from keras_bert.pretraining.run.run_record import check_run
from keras_bert.text.tokenizer_kinds import KINDS
from keras_bert.text.tokenizer_kinds import kind_of_file
from keras_bert.text.tokenizer_kinds import vocabulary_of_file
from keras_bert.text.wordpiece.vocabulary import Vocabulary

# Files of a checkpoint that a run goes on from.
_has_weights = re.compile(
    r".*\.(h5|safetensors|bin|index|data-\d+-of-\d+|npz|index\.json)"
).fullmatch
_OTHER_FILES = CONFIG_FILES | {"tokenizer.json"}
# Fields that the weights do not depend on, and fields whose files are in the
# settings by their contents.
_FREE = frozenset(
    """allow_changed_flags eval_batch_size eval_file eval_steps jit
    keep_checkpoint_max log_steps on_nan output_dir save_checkpoints_steps
    steps_per_execution strategy input_file vocab_file bert_config_file
    init_checkpoint do_lower_case teacher_dir sources""".split()
)
# Fields that records of runs had not from the first: written where set.
_LATER = frozenset(("mask_special_tokens",))
_STATES = "states"  # Of a run that is not finished.
# Defaults of what neither a flag nor a manifest says.
_OF_RECORDS = {
    "masking": "static",
    "max_seq_length": 128,
    "max_predictions_per_seq": 20,
}
_OF_DYNAMIC_MASKS = {
    "masked_lm_prob": 0.15,
    "do_whole_word_mask": False,
    "ngram": 1,
    "mask_special_tokens": False,
}


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
        vocab_file: str, its file.
        lowercase: bool; None with `vocabulary` None, and for a kind of
            tokenizer whose files say it.
        config: config, of any family, of a fresh model, or None.
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
        """True if an example holds several texts, by the manifests."""
        packings = self.facts.claims["packing"].values()
        return any(PACKINGS[name].joins for name in packings)

    @functools.cached_property
    def settings(self):
        """All that the weights depend on, a dict; files by their hashes."""
        recipe, objective = dataclasses.asdict(self.recipe), self.objective
        records = [self.facts.hashes[path] for path in self.training_paths]
        own = {name for x in OBJECTIVES.values() for name in x.fields}
        left_out = _FREE | own - {*objective.fields}
        left_out |= {name for name in _LATER if not recipe[name]}
        checkpoint = recipe["init_checkpoint"]
        read = {**objective.reads(self.recipe), "checkpoint": checkpoint}
        return {
            **{name: recipe[name] for name in recipe if name not in left_out},
            "vocabulary": self.vocabulary and self.vocabulary.sha256,
            "do_lower_case": self.lowercase,
            "config": self.config and dataclasses.asdict(self.config),
            **{name: _checkpoint_hashes(path) for name, path in read.items()},
            "records": {f"file {i}": x for i, x in enumerate(records, start=1)},
        }


def plan_pretraining(recipe):
    """Settle what a recipe leaves open and check what costs no time.

    Args:
        recipe: `PretrainingRecipe`.

    Returns:
        `PretrainingPlan`

    Raises:
        ValueError: a file is missing or none, two of them or a flag
            disagree on the records, or the output directory holds a
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
    objective, paths = OBJECTIVES[recipe.objective], [vocab_file]
    paths += [recipe.bert_config_file, *objective.reads(recipe).values()]
    paths += training_paths + evaluation_paths
    check_no_input(recipe.output_dir, filter(None, paths))
    facts = read_record_facts(training_paths + evaluation_paths)
    facts.check_packing(objective)
    recipe = _settled(recipe, facts)
    lowercase = None
    if vocabulary is not None:
        lowercase = _checked_casing(recipe, facts, vocabulary, vocab_file)
    if config is not None:
        config = fitting_config(recipe, config, vocabulary, facts)
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
    """Hashes by the names of the files; of a model of the Hub its name."""
    if not directory or not os.path.isdir(directory):
        return directory
    # Of a run that is not finished the states are read.
    paths = _checkpoint_files(directory)
    paths = paths or _checkpoint_files(os.path.join(directory, _STATES))
    with concurrent.futures.ThreadPoolExecutor() as threads:
        hashes = threads.map(verified_sha256, paths)
        return {path.name: x for path, x in zip(paths, hashes, strict=True)}


def _checkpoint_files(directory):
    of_tokenizers = {name for kind in KINDS.values() for name in kind.files}
    names = _OTHER_FILES | of_tokenizers
    return [
        path
        for path in sorted(pathlib.Path(directory).glob("*"))
        if path.is_file() and (path.name in names or _has_weights(path.name))
    ]


def _checked_casing(recipe, facts, vocabulary, vocab_file):
    """The casing on which flag, manifests and files agree; True lower-cases.

    Raises:
        ValueError: the records are of another tokenizer than the file.
    """
    facts.check_vocabulary(vocabulary, vocab_file)
    kind = kind_of_file(vocab_file)
    flag = {"--do_lower_case": recipe.do_lower_case}
    claims = {**flag, **facts.claims["do_lower_case"]}
    lowercase = kind.casing(vocab_file, claims)
    facts.check_tokenizer(kind.for_corpus(vocab_file, lowercase), vocab_file)
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
    if not directory.is_dir():
        check_name(recipe.init_checkpoint)
    for name in (kind.files[0] for kind in KINDS.values()):
        for path in (directory / name, directory / _STATES / name):
            if path.is_file():
                return str(path), vocabulary_of_file(path)
    return recipe.init_checkpoint, None


def _settled(recipe, facts):
    """Fill in the open fields of the recipe from the manifests."""
    settled = {
        name: facts.settled(name, getattr(recipe, name), default)
        for name, default in _OF_RECORDS.items()
    }
    given = {name: getattr(recipe, name) for name in _OF_DYNAMIC_MASKS}
    passed = {name: x for name, x in given.items() if x is not None}
    objective = OBJECTIVES[recipe.objective]
    if settled["masking"] == "static":
        if passed:
            raise ValueError(
                f"{', '.join(f'--{name}' for name in given)} are for "
                "--masking=dynamic: static records are masked already. "
                f"Received: {', '.join(f'{k}={x}' for k, x in passed.items())}."
            )
        if objective.substitutes != SUBSTITUTES:
            raise ValueError(
                f"--objective={objective.name} replaces other shares of the "
                "masked tokens than records that are masked already: make "
                "them with --masking=dynamic. Received: masking=static."
            )
    settled |= {**_OF_DYNAMIC_MASKS, **passed}
    settled |= settled_fields(objective, vars(recipe))
    recipe = dataclasses.replace(recipe, **settled)
    wanted = round(recipe.max_seq_length * recipe.masked_lm_prob)
    if "masked_lm_prob" in passed and wanted > recipe.max_predictions_per_seq:
        logging.warning(
            f"--masked_lm_prob={recipe.masked_lm_prob:g} is {wanted} of "
            f"{recipe.max_seq_length} tokens, but at most "
            f"--max_predictions_per_seq={recipe.max_predictions_per_seq} are "
            "masked; pass a higher number."
        )
    return recipe
