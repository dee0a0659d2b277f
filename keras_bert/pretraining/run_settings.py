"""Settings that the weights of a run depend on, checked when it goes on."""

import concurrent.futures
import dataclasses
import os
import pathlib
import re

from keras_bert.checkpoints.layout import CONFIG_FILES
from keras_bert.pretraining.record_facts import verified_sha256
from keras_bert.text.tokenizer_kinds import KINDS

# Files of a checkpoint that a run goes on from.
_has_weights = re.compile(
    r".*\.(h5|safetensors|bin|index|data-\d+-of-\d+|npz|index\.json)"
).fullmatch
_OTHER_FILES = CONFIG_FILES | {"tokenizer.json"}
# What the weights do not depend on, and what stands in the settings by its
# contents.
_FREE = frozenset(
    """allow_changed_flags eval_batch_size eval_file eval_steps jit
    keep_checkpoint_max log_steps on_nan output_dir save_checkpoints_steps
    steps_per_execution strategy input_file vocab_file bert_config_file
    init_checkpoint do_lower_case""".split()
)


def run_settings(plan):
    """Collect what the weights of a run depend on; files by their hashes."""
    recipe = dataclasses.asdict(plan.recipe)
    vocabulary, config = plan.vocabulary, plan.config
    records = [plan.facts.hashes[path] for path in plan.training_paths]
    return {
        **{name: recipe[name] for name in recipe if name not in _FREE},
        "vocabulary": vocabulary.sha256 if vocabulary else None,
        "do_lower_case": plan.lowercase,
        "config": dataclasses.asdict(config) if config else None,
        "checkpoint": _checkpoint_hashes(plan.recipe.init_checkpoint),
        "records": {f"file {i}": x for i, x in enumerate(records, start=1)},
    }


def _checkpoint_hashes(directory):
    """Hashes by the names of the files; of a model of the Hub its name."""
    if not directory or not os.path.isdir(directory):
        return directory
    directory = pathlib.Path(directory)
    # Of a run that is not finished the states are read.
    paths = _checkpoint_files(directory) or _checkpoint_files(
        directory / "states"
    )
    with concurrent.futures.ThreadPoolExecutor() as threads:
        hashes = threads.map(verified_sha256, paths)
        return {path.name: x for path, x in zip(paths, hashes)}


def _checkpoint_files(directory):
    of_tokenizers = {name for kind in KINDS.values() for name in kind.files}
    names = _OTHER_FILES | of_tokenizers
    return [
        path
        for path in sorted(directory.glob("*"))
        if path.is_file() and (path.name in names or _has_weights(path.name))
    ]
