"""Learn a tokenizer's vocabulary from text.

    keras-bert learn_vocabulary --input_file='text/*.txt' \\
        --output_file=vocab.txt --vocab_size=8000
    keras-bert learn_vocabulary --input_file='text/*.txt' \\
        --kind=byte_bpe --output_dir=tokenizer --vocab_size=50265

The input is the same as for keras-bert create_pretraining_data.
--kind=wordpiece (BERT) writes a file. The special tokens get their published
ids, [PAD] 0 and [UNK] [CLS] [SEP] [MASK] 100 to 103, with [unused] tokens
between them, or the ids 0 to 4 with --compact_ids. --kind=byte_bpe (RoBERTa)
writes a directory with vocab.json and merges.txt; it is cased.
--kind=sentencepiece (ALBERT) writes a directory with spiece.model. A manifest
lists the inputs and the casing.
"""

import math

from absl import logging

import keras_bert
from keras_bert import command_line
from keras_bert.cli import shared_flags
from keras_bert.cli.data.text_flags import TextFlags
from keras_bert.files.outputs import new_directory
from keras_bert.files.outputs import new_file

PROGRAM = command_line.Program(
    __doc__,
    "keras-bert create_pretraining_data --input_file={input_file} "
    "--vocab_file={result} --output_dir=tfrecords",
)

_TEXT = TextFlags(PROGRAM)
_KIND = PROGRAM.enum(
    "kind",
    "wordpiece",
    ["wordpiece", "byte_bpe", "sentencepiece"],
    "Type of the tokenizer.",
)
_OUTPUT_FILE = PROGRAM.optional(
    "output_file", "The vocab.txt to write, for --kind=wordpiece."
)
_OUTPUT_DIR = PROGRAM.optional(
    "output_dir", "Output directory for all other values of --kind."
)
_OVERWRITE = shared_flags.overwrite(PROGRAM)
_VOCAB_SIZE = PROGRAM.integer(
    "vocab_size", 30522, "Maximum size of the vocabulary."
)
_DO_LOWER_CASE = PROGRAM.bool(
    "do_lower_case", True, "Lowercase the text and strip its accents."
)
_MIN_FREQUENCY = PROGRAM.integer(
    "min_frequency", 2, "Minimum number of occurrences of a token."
)
_COMPACT_IDS = PROGRAM.bool(
    "compact_ids",
    False,
    "Give special tokens the ids 0 to 4, without [unused].",
)


# The training function of each kind, and the arguments that it supports.
_ARGUMENTS = {
    "lowercase": _DO_LOWER_CASE,
    "min_frequency": _MIN_FREQUENCY,
    "compact_ids": _COMPACT_IDS,
}
_LEARNERS = {
    "wordpiece": ("learn_wordpiece", [*_ARGUMENTS]),
    "byte_bpe": ("learn_byte_pair", ["min_frequency"]),
    "sentencepiece": ("learn_sentencepiece", ["lowercase"]),
}


def main():
    learner, arguments = _LEARNERS[_KIND.value]
    for name in {*_ARGUMENTS} - {*arguments}:
        command_line.reject(
            f"does not apply to --kind={_KIND.value}", _ARGUMENTS[name]
        )
    output = _output()
    paths = _TEXT.paths()
    is_file = output is _OUTPUT_FILE
    written = new_file if is_file else new_directory
    manifest = {}
    with written(output.value, manifest, paths, _OVERWRITE.value) as path:
        sources = _TEXT.sources(paths)
        bad_lines = _TEXT.bad_lines()
        settings, held_out = getattr(keras_bert.pretraining, learner)(
            sources,
            vocab_size=_VOCAB_SIZE.value,
            bad_lines=bad_lines,
            **{name: _ARGUMENTS[name].value for name in arguments},
        )
        manifest |= _entries(sources, settings, arguments, held_out, bad_lines)
        write = settings.vocabulary.save if is_file else settings.write
        write(path)
    logging.info("%d tokens.", manifest["vocab_size"])
    _log_quality(manifest)
    if bad_lines:
        bad_lines.log()


def _output():
    """Return the flag of the output path."""
    flag, other = _OUTPUT_FILE, _OUTPUT_DIR
    if _KIND.value != "wordpiece":
        flag, other = other, flag
    if not flag.value:
        raise ValueError(
            f"--kind={_KIND.value} needs the flag --{flag.name}. --help shows "
            "the manual."
        )
    command_line.reject(f"does not apply to --kind={_KIND.value}", other)
    return flag


def _entries(sources, settings, arguments, held_out, bad_lines):
    """Return the entries of the manifest."""
    command_line.import_quietly("keras")
    unknown, pieces = keras_bert.pretraining.measure_tokenizer(
        settings.make(), held_out
    )
    is_measured = not math.isnan(unknown)
    values = {name: _ARGUMENTS[name].value for name in arguments}
    casing = {
        "do_lower_case": values.pop(name)
        for name in ["lowercase"]
        if name in values
    }
    return {
        "kind": _KIND.value,
        **casing,
        "vocabulary": settings.vocabulary.sha256,
        "vocab_size": len(settings.vocabulary),
        "settings": {
            "inputs": {s.name: s.fingerprint() for s in sources},
            "vocab_size": _VOCAB_SIZE.value,
            **values,
            "on_bad_line": _TEXT.on_bad_line.value,
        },
        "counts": {
            "held_out_sentences": len(held_out),
            "unknown": unknown if is_measured else None,
            "pieces_per_word": pieces if is_measured else None,
            "bad_lines": bad_lines.count if bad_lines else 0,
        },
    }


def _log_quality(manifest):
    """Log the quality of the vocabulary; warn if it is too small."""
    counts, wanted = manifest["counts"], manifest["settings"]["vocab_size"]
    if counts["unknown"] is None:
        logging.info(
            "The text is too short to measure the vocabulary: no sentence was "
            "held out (one in 50 on average)."
        )
    else:
        logging.info(
            "On %d held-out sentences: %s.",
            counts["held_out_sentences"],
            f"{counts['unknown']:.3%} of the tokens unknown, "
            f"{counts['pieces_per_word']:.2f} pieces per word",
        )
    if manifest["vocab_size"] < wanted:
        is_counted = "min_frequency" in manifest["settings"]
        logging.warning(
            "The text gives only %d tokens, fewer than --vocab_size=%d. Set "
            '"vocab_size" to %d in the config of the model, or use more '
            "text%s.",
            manifest["vocab_size"],
            wanted,
            manifest["vocab_size"],
            ", or lower --min_frequency" if is_counted else "",
        )
