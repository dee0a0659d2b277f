"""Learns a WordPiece vocabulary from text.

    python tools/learn_vocabulary.py --input_file='text/*.txt' \\
        --output_file=vocab.txt --vocab_size=8000

The special tokens get their published ids, [PAD] 0 and [UNK] [CLS] [SEP]
[MASK] 100 to 103 with [unused] between, or with --compact_ids the ids 0 to 4.
"""

import os

from absl import flags
from absl import logging

from keras_bert import command_line
from keras_bert.data.vocabulary_learning import learn_vocabulary
from keras_bert.data.vocabulary_learning import measure_vocabulary
from keras_bert.files import check_writable
from keras_bert.files import expand_patterns

_INPUT_FILE = flags.DEFINE_list(
    "input_file",
    None,
    "Text files: paths and globs, comma-separated.",
    required=True,
)
_OUTPUT_FILE = flags.DEFINE_string(
    "output_file", None, "The vocab.txt.", required=True
)
_VOCAB_SIZE = flags.DEFINE_integer("vocab_size", 30522, "Lines in the file.")
_DO_LOWER_CASE = flags.DEFINE_bool(
    "do_lower_case", True, "Lower-case the text and strip its accents."
)
_MIN_FREQUENCY = flags.DEFINE_integer(
    "min_frequency", 2, "How often a piece must occur."
)
_COMPACT_IDS = flags.DEFINE_bool(
    "compact_ids", False, "Special tokens at 0 to 4, no [unused]."
)


def main():
    paths = expand_patterns(_INPUT_FILE.value)
    check_writable(os.path.dirname(_OUTPUT_FILE.value) or ".")
    vocabulary, unseen = learn_vocabulary(
        paths,
        vocab_size=_VOCAB_SIZE.value,
        lowercase=_DO_LOWER_CASE.value,
        min_frequency=_MIN_FREQUENCY.value,
        compact_ids=_COMPACT_IDS.value,
    )
    vocabulary.save(_OUTPUT_FILE.value)
    unknown, pieces = measure_vocabulary(
        vocabulary, unseen, _DO_LOWER_CASE.value
    )
    logging.info(
        "Wrote %s: %d word pieces. On %d sentences that it was not learned "
        "from: %s.",
        _OUTPUT_FILE.value,
        len(vocabulary),
        len(unseen),
        f"{unknown:.3%} of the tokens unknown, {pieces:.2f} pieces per word",
    )


if __name__ == "__main__":
    command_line.run(main)
