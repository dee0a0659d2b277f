"""Check record files and show examples.

    keras-bert inspect_records --input_file='tfrecords/wiki/*.tfrecord' \\
        --vocab_file=vocab.txt

Every record of every file is checked against the schema of
tfrecords/README.md. The first invalid record is an error that names the file,
the record (counted from 0), the feature and its value. A truncated or corrupt
file is an error, too.

In the examples, word pieces are joined into words, and tokens to predict are in
brackets:

    [MASK→word]       replaced by [MASK]: 80 % of the predictions
    [other*→word]     replaced by a random word piece: 10 %
    [word=]           unchanged: 10 %

Records for dynamic masking contain no predictions; their summary shows the
number of word pieces per word.

If there is a manifest of create_pretraining_data next to the records, the
records and the vocabulary must match it.
"""

from keras_bert import command_line
from keras_bert.cli import shared_flags
from keras_bert.cli.field_flags import field_meanings
from keras_bert.cli.inspection.summary import examples_text
from keras_bert.cli.inspection.summary import summary_rows
from keras_bert.cli.inspection.summary import summary_text
from keras_bert.files.patterns import expand_patterns
from keras_bert.pretraining.records.options import TextOptions
from keras_bert.text.tokenizer_kinds import vocabulary_of_file

PROGRAM = command_line.Program(
    __doc__, shared_flags.pretrain_command("{input_file}")
)

_INPUT_FILE = PROGRAM.list(
    "input_file",
    None,
    "TFRecord files: paths and globs, comma-separated.",
    required=True,
)
_VOCAB_FILE = PROGRAM.required(
    "vocab_file", field_meanings(TextOptions)["vocab_file"]
)
_NUM_EXAMPLES = PROGRAM.integer(
    "num_examples", 3, "Number of records to show.", lower_bound=0
)


def main():
    paths = expand_patterns(_INPUT_FILE.value)
    vocabulary = vocabulary_of_file(_VOCAB_FILE.value)
    # Imported late, so that wrong flags are reported before TensorFlow loads.
    command_line.import_quietly("tensorflow")
    from keras_bert.cli.inspection.reading import check_manifests
    from keras_bert.cli.inspection.reading import inspect_records

    check_manifests(paths, _VOCAB_FILE.value, vocabulary)
    statistics, examples = inspect_records(
        paths, vocabulary, _NUM_EXAMPLES.value
    )
    if examples:
        print(examples_text(examples, statistics.is_static))
    print(summary_text(summary_rows(statistics)))
