"""Learns a WordPiece vocabulary from text.

    python tools/learn_vocabulary.py --input_file='text/*.txt' \\
        --output_file=vocab.txt --vocab_size=8000

It takes the same text as tools/create_pretraining_data.py. The special tokens
get their published ids, [PAD] 0 and [UNK] [CLS] [SEP] [MASK] 100 to 103 with
[unused] between, or with --compact_ids the ids 0 to 4. A manifest beside the
file tells what it was learned from and how texts are to be cased.
"""

import math

from absl import flags
from absl import logging

import keras_bert
from keras_bert import command_line
from keras_bert import outputs
from keras_bert.data.corpus.text_flags import TextFlags

_TEXT = TextFlags()
_OUTPUT_FILE = flags.DEFINE_string(
    "output_file", None, "The vocab.txt.", required=True
)
_OVERWRITE = flags.DEFINE_bool(
    "overwrite", False, "Replace what an earlier run has written."
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
    paths = _TEXT.paths()
    outputs.check_output_files([_OUTPUT_FILE.value], paths, _OVERWRITE.value)
    sources = _TEXT.sources(paths)
    bad_lines = _TEXT.bad_lines()
    vocabulary, unseen = keras_bert.data.learn_vocabulary(
        sources,
        vocab_size=_VOCAB_SIZE.value,
        lowercase=_DO_LOWER_CASE.value,
        min_frequency=_MIN_FREQUENCY.value,
        compact_ids=_COMPACT_IDS.value,
        bad_lines=bad_lines,
    )
    about = _about(sources, vocabulary, unseen, bad_lines)
    with outputs.recorded_file(_OUTPUT_FILE.value, about) as name:
        vocabulary.save(name)
    logging.info(
        "Wrote %s: %d word pieces.", _OUTPUT_FILE.value, len(vocabulary)
    )
    _tell(about)
    if bad_lines:
        bad_lines.log()


def _about(sources, vocabulary, unseen, bad_lines):
    """What the manifest says of the vocabulary."""
    unknown, pieces = keras_bert.data.measure_vocabulary(
        vocabulary, unseen, _DO_LOWER_CASE.value
    )
    is_measured = not math.isnan(unknown)
    return {
        "do_lower_case": _DO_LOWER_CASE.value,
        "vocabulary": vocabulary.sha256,
        "vocab_size": len(vocabulary),
        "settings": {
            "inputs": {s.name: s.fingerprint() for s in sources},
            "vocab_size": _VOCAB_SIZE.value,
            "min_frequency": _MIN_FREQUENCY.value,
            "compact_ids": _COMPACT_IDS.value,
            "on_bad_line": _TEXT.on_bad_line.value,
        },
        "counts": {
            "held_out_sentences": len(unseen),
            "unknown": unknown if is_measured else None,
            "pieces_per_word": pieces if is_measured else None,
            "bad_lines": bad_lines.count if bad_lines else 0,
        },
    }


def _tell(about):
    """Tells how good the vocabulary is, and what to do if it is small."""
    counts, asked = about["counts"], about["settings"]["vocab_size"]
    if counts["unknown"] is None:
        logging.info(
            "There was too little text to measure the vocabulary: of its "
            "sentences, one in 50 is held out for that, here none."
        )
    else:
        logging.info(
            "On %d sentences that it was not learned from: %s.",
            counts["held_out_sentences"],
            f"{counts['unknown']:.3%} of the tokens unknown, "
            f"{counts['pieces_per_word']:.2f} pieces per word",
        )
    if about["vocab_size"] < asked:
        logging.warning(
            "The text gives %d word pieces that occur %d times or more, not "
            '--vocab_size=%d. Set "vocab_size" to %d in the config of the '
            "model, or learn from more text, or lower --min_frequency.",
            about["vocab_size"],
            about["settings"]["min_frequency"],
            asked,
            about["vocab_size"],
        )


if __name__ == "__main__":
    command_line.run(main)
