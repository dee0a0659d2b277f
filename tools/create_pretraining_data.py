"""Turns plain text into TFRecords of masked sentence pairs.

    python tools/create_pretraining_data.py --input_file='text/*.txt' \\
        --vocab_file=vocab.txt --output_file=tfrecords/train.tfrecord

The input is UTF-8 with one sentence a line and a blank line between
documents. The records are those of google-research/bert; see
tfrecords/README.md.
"""

import os
import time

from absl import flags
from absl import logging

from keras_bert import command_line
from keras_bert.data import PretrainingDataOptions
from keras_bert.data import create_pretraining_data
from keras_bert.data.files import check_writable
from keras_bert.data.files import expand_patterns
from keras_bert.text import BertTokenizer
from keras_bert.text import Vocabulary

_DEFAULTS = PretrainingDataOptions()

_INPUT_FILE = flags.DEFINE_list(
    "input_file",
    None,
    "Text files: paths and globs, comma-separated.",
    required=True,
)
_OUTPUT_FILE = flags.DEFINE_list(
    "output_file",
    None,
    "TFRecord files to share the examples out to.",
    required=True,
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
    options = PretrainingDataOptions(
        max_seq_length=_MAX_SEQ_LENGTH.value,
        max_predictions_per_seq=_MAX_PREDICTIONS_PER_SEQ.value,
        masked_lm_prob=_MASKED_LM_PROB.value,
        short_seq_prob=_SHORT_SEQ_PROB.value,
        dupe_factor=_DUPE_FACTOR.value,
        random_seed=_RANDOM_SEED.value,
        do_whole_word_mask=_DO_WHOLE_WORD_MASK.value,
    )
    input_files = expand_patterns(_INPUT_FILE.value)
    for path in _OUTPUT_FILE.value:
        check_writable(os.path.dirname(path) or ".")
    tokenizer = BertTokenizer(
        Vocabulary.from_file(_VOCAB_FILE.value), _DO_LOWER_CASE.value
    )
    counts = create_pretraining_data(
        input_files, _OUTPUT_FILE.value, tokenizer, options
    )
    logging.info(
        "%d examples in %.1f s; %.1f %% of the tokens masked, %.1f %% of the "
        "second sentences random.",
        counts.examples,
        time.monotonic() - start,
        100 * counts.predictions / counts.example_tokens,
        100 * counts.random_next / counts.examples,
    )


if __name__ == "__main__":
    command_line.run(main)
