"""Reads a checkpoint of any format and writes it in another.

    python tools/convert_checkpoint.py --input=uncased_L-12_H-768_A-12 \\
        --output=bert-base-uncased --format=keras

The input is a directory of ours, of Hugging Face, of google-research/bert or
of the Model Garden, or the name of a model on the Hugging Face Hub. Nothing
is written unless every weight was read.
"""

from absl import flags
from absl import logging

from keras_bert import command_line
from keras_bert.checkpoints import from_pretrained
from keras_bert.checkpoints import save_pretrained

_INPUT = flags.DEFINE_string(
    "input", None, "Directory or name on the Hub.", required=True
)
_OUTPUT = flags.DEFINE_string(
    "output", None, "Directory; made if needed.", required=True
)
_FORMAT = flags.DEFINE_enum(
    "format",
    "keras",
    ["keras", "hf", "tf1"],
    "Ours, that of transformers or that of google-research/bert.",
)
_ALLOW_MISSING = flags.DEFINE_list(
    "allow_missing",
    [],
    "Parts (pooler, masked_lm_head, nsp_head) or weights that start random "
    "where the input lacks them.",
)


def main():
    bert = from_pretrained(_INPUT.value, _ALLOW_MISSING.value)
    save_pretrained(bert, _OUTPUT.value, _FORMAT.value)
    logging.info(
        "Wrote %s: encoder%s.",
        _OUTPUT.value,
        "".join(f", {part}" for part in sorted(bert.parts)),
    )


if __name__ == "__main__":
    command_line.run(main)
