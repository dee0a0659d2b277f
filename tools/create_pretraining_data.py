"""Turns plain text into TFRecords of masked sentence pairs.

    python tools/create_pretraining_data.py --input_file='text/*.txt' \\
        --vocab_file=vocab.txt --output_dir=tfrecords/wiki \\
        --num_shards=16 --num_workers=8

The input is UTF-8 with one sentence a line and a blank line between documents
(also as .gz), paragraphs with --split_sentences, or .jsonl; or a prepared data
set of TensorFlow Datasets, a document an example. The records are those of
google-research/bert; see tfrecords/README.md.

The same seed gives the same bytes with any number of workers. A run that was
killed goes on where it was when the same command is typed again (one with
--overwrite: without that flag). A manifest records settings, hashes of the
inputs and counts.
"""

import os
import time

from absl import flags
from absl import logging

from keras_bert import command_line
from keras_bert.data import PretrainingDataOptions
from keras_bert.data import TextOptions
from keras_bert.data import create_pretraining_data
from keras_bert.data import open_sources
from keras_bert.files import expand_patterns

_DEFAULTS = PretrainingDataOptions()

_INPUT_FILE = flags.DEFINE_list(
    "input_file", None, "Text files: paths and globs, comma-separated."
)
_TFDS_NAME = flags.DEFINE_string(
    "tfds_name", None, "Or a prepared data set of TensorFlow Datasets."
)
_TFDS_SPLIT = flags.DEFINE_string(
    "tfds_split", "train", "Its split, or a part: train[:10%]."
)
_TEXT_KEY = flags.DEFINE_string(
    "text_key", "text", "Key of the text in .jsonl files and data sets."
)
_SPLIT_SENTENCES = flags.DEFINE_bool(
    "split_sentences", False, "The lines are paragraphs of English."
)
_SEGMENTED_WORDS = flags.DEFINE_bool(
    "segmented_words",
    False,
    "Words are what stands between spaces, as in pre-segmented Chinese.",
)
_OUTPUT_FILE = flags.DEFINE_list(
    "output_file", None, "TFRecord files to share the examples out to."
)
_OUTPUT_DIR = flags.DEFINE_string(
    "output_dir", None, "Or a directory, for --num_shards files."
)
_NUM_SHARDS = flags.DEFINE_integer(
    "num_shards", 1, "Files in --output_dir.", lower_bound=1
)
_NUM_WORKERS = flags.DEFINE_integer(
    "num_workers", 1, "Processes; at most one a file.", lower_bound=1
)
_OVERWRITE = flags.DEFINE_bool(
    "overwrite", False, "Start anew and replace what an earlier run has made."
)
_VOCAB_FILE = flags.DEFINE_string(
    "vocab_file", None, "The vocab.txt.", required=True
)
_DO_LOWER_CASE = flags.DEFINE_bool(
    "do_lower_case", True, "Lower-case the text and strip its accents."
)
_DO_WHOLE_WORD_MASK = flags.DEFINE_bool(
    "do_whole_word_mask", False, "Mask all pieces of a word or none."
)
_MASKING = flags.DEFINE_enum(
    "masking",
    _DEFAULTS.masking,
    ["static", "dynamic"],
    "Mask here, or anew at each step of training.",
)
_MAX_SEQ_LENGTH = flags.DEFINE_integer(
    "max_seq_length", _DEFAULTS.max_seq_length, "Length of the sequences."
)
_MAX_PREDICTIONS_PER_SEQ = flags.DEFINE_integer(
    "max_predictions_per_seq",
    _DEFAULTS.max_predictions_per_seq,
    "Most masked tokens in a sequence.",
)
_MASKED_LM_PROB = flags.DEFINE_float(
    "masked_lm_prob", _DEFAULTS.masked_lm_prob, "Share of tokens to mask."
)
_SHORT_SEQ_PROB = flags.DEFINE_float(
    "short_seq_prob",
    _DEFAULTS.short_seq_prob,
    "Share of documents walked with a random shorter length.",
)
_DUPE_FACTOR = flags.DEFINE_integer(
    "dupe_factor", _DEFAULTS.dupe_factor, "Passes over the text."
)
_RANDOM_SEED = flags.DEFINE_integer(
    "random_seed", _DEFAULTS.random_seed, "The same seed gives the same bytes."
)


def main():
    start = time.monotonic()
    output_files, manifest_path = _outputs()
    counts = create_pretraining_data(
        _sources(),
        output_files,
        TextOptions(
            vocab_file=_VOCAB_FILE.value,
            do_lower_case=_DO_LOWER_CASE.value,
            split_sentences=_SPLIT_SENTENCES.value,
            segmented_words=_SEGMENTED_WORDS.value,
        ),
        PretrainingDataOptions(
            max_seq_length=_MAX_SEQ_LENGTH.value,
            max_predictions_per_seq=_MAX_PREDICTIONS_PER_SEQ.value,
            masked_lm_prob=_MASKED_LM_PROB.value,
            short_seq_prob=_SHORT_SEQ_PROB.value,
            dupe_factor=_DUPE_FACTOR.value,
            random_seed=_RANDOM_SEED.value,
            do_whole_word_mask=_DO_WHOLE_WORD_MASK.value,
            masking=_MASKING.value,
        ),
        manifest_path,
        _NUM_WORKERS.value,
        _OVERWRITE.value,
    )
    logging.info(
        "%d examples in %.1f s; %.1f %% of the second sentences random, %s.",
        counts["examples"],
        time.monotonic() - start,
        100 * counts["random_next"] / counts["examples"],
        "masks to be drawn in training"
        if _MASKING.value == "dynamic"
        else f"{counts['predictions'] / counts['example_tokens']:.1%} of the "
        "tokens masked",
    )


def _sources():
    if (_INPUT_FILE.value is None) == (_TFDS_NAME.value is None):
        raise ValueError(
            "Either --input_file or --tfds_name is needed. Received: "
            f"--input_file={_INPUT_FILE.value}, "
            f"--tfds_name={_TFDS_NAME.value}."
        )
    if _TFDS_NAME.value is None:
        paths = expand_patterns(_INPUT_FILE.value)
        return open_sources(paths, _TEXT_KEY.value)
    # Imported late: most do not have TensorFlow Datasets.
    from keras_bert.data.tfds_source import TfdsSource

    return [TfdsSource(_TFDS_NAME.value, _TFDS_SPLIT.value, _TEXT_KEY.value)]


def _outputs():
    """The record files and the manifest."""
    if bool(_OUTPUT_FILE.value) == bool(_OUTPUT_DIR.value):
        raise ValueError(
            "Either --output_file or --output_dir is needed. Received: "
            f"--output_file={_OUTPUT_FILE.value}, "
            f"--output_dir={_OUTPUT_DIR.value}."
        )
    if _OUTPUT_FILE.value:
        return _OUTPUT_FILE.value, None
    count = _NUM_SHARDS.value
    names = [f"{n:05d}-of-{count:05d}.tfrecord" for n in range(count)]
    return (
        [os.path.join(_OUTPUT_DIR.value, name) for name in names],
        os.path.join(_OUTPUT_DIR.value, "manifest.json"),
    )


if __name__ == "__main__":
    command_line.run(main)
