"""Checks record files, measures them and shows some of their examples.

    keras-bert inspect_records --input_file='tfrecords/wiki/*.tfrecord' \\
        --vocab_file=vocab.txt --output_file=records.html

Every record of every file is read and held to the schema of
tfrecords/README.md. The first that does not conform is an error that names
the file, the record (counted from 0), the feature and what it holds; so is a
file that is cut or damaged.

In the examples, word pieces are joined to words, and what the model must
predict stands in brackets:

    [MASK→word]       hidden behind [MASK]: 80 % of the predictions
    [other*→word]     replaced by a random word piece: 10 %
    [word=]           kept as it is: 10 %

Records whose masks are drawn while training hold no predictions; of these,
words are measured by their number of pieces.

If a manifest of create_pretraining_data stands beside the records, it must
list them as they are, and tell of this vocabulary.

Without --output_file nothing is written. A .png holds diagrams: lengths, share
of predicted tokens, what stands at predictions, next sentences. A .html is one
self-contained page with the diagrams, the numbers and the examples.
"""

import importlib
import pathlib

from absl import flags

from keras_bert import artifacts
from keras_bert import command_line
from keras_bert.data.examples.options import TextOptions
from keras_bert.files import expand_patterns
from keras_bert.programs.field_flags import field_meanings
from keras_bert.programs.inspection.page import make_page
from keras_bert.programs.inspection.summary import examples_text
from keras_bert.programs.inspection.summary import summary_rows
from keras_bert.programs.inspection.summary import summary_text
from keras_bert.text.tokenizer_kinds import vocabulary_of_file

_INPUT_FILE = flags.DEFINE_list(
    "input_file",
    None,
    "TFRecord files: paths and globs, comma-separated.",
    required=True,
)
_VOCAB_FILE = flags.DEFINE_string(
    "vocab_file",
    None,
    field_meanings(TextOptions)["vocab_file"],
    required=True,
)
_NUM_EXAMPLES = flags.DEFINE_integer(
    "num_examples", 3, "Records to show, from the first on.", lower_bound=0
)
_OUTPUT_FILE = flags.DEFINE_string(
    "output_file", None, "A summary to write, .png or .html."
)
_OVERWRITE = flags.DEFINE_bool(
    "overwrite", False, "Replace what an earlier run has written."
)


def main():
    paths = expand_patterns(_INPUT_FILE.value)
    vocabulary = vocabulary_of_file(_VOCAB_FILE.value)
    _check_output(_OUTPUT_FILE.value, [*paths, _VOCAB_FILE.value])
    # Imported late: it loads TensorFlow, and a wrong flag is told at once.
    from keras_bert.programs.inspection.reading import check_manifests
    from keras_bert.programs.inspection.reading import inspect_records

    altered = check_manifests(paths, _VOCAB_FILE.value, vocabulary)
    statistics, examples = inspect_records(
        paths, vocabulary, _NUM_EXAMPLES.value
    )
    if altered:  # After the records, of which a damaged one says more.
        raise altered[0]
    if examples:
        print(examples_text(examples, statistics.is_static))
    rows = summary_rows(statistics)
    print(summary_text(rows))
    if _OUTPUT_FILE.value:
        _write(_OUTPUT_FILE.value, _title(paths), statistics, rows, examples)


def _check_output(path, inputs):
    """Refuses, before any work, what could not be written."""
    if not path:
        command_line.refuse(_OVERWRITE, "is for --output_file")
        return
    if not path.endswith((".png", ".html")):
        raise ValueError(
            f"--output_file must end in .png or .html. Received: {path!r}."
        )
    artifacts.check_output_files([path], inputs, _OVERWRITE.value)
    try:
        importlib.import_module("matplotlib.figure")
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"--output_file needs the package {error.name}, which is not "
            "installed here. Try: pip install 'keras-bert-tf[demo]'"
        ) from None


def _title(paths):
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    return f"{pathlib.Path(paths[0]).name}{more}"


def _write(path, title, statistics, rows, examples):
    from keras_bert.programs.inspection.diagrams import draw_diagrams

    data = draw_diagrams(statistics, title)
    if path.endswith(".html"):
        data = make_page(data, title, rows, examples)
    with artifacts.recorded_file(path) as name:
        pathlib.Path(name).write_bytes(data)


if __name__ == "__main__":
    command_line.run(main)
