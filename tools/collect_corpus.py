"""Makes a corpus, in a part to train on and a part to evaluate on.

    python tools/collect_corpus.py --output_dir=corpus
    python tools/collect_corpus.py --output_dir=corpus --input_file='text/*.txt'

Without --input_file it reads the English documentation on this machine: the
docstrings of the standard library and of all installed packages, their
READMEs and their long descriptions; nothing is imported or downloaded.

It writes train.txt and eval.txt in the form that create_pretraining_data.py
takes: UTF-8, a sentence a line, a blank line between documents. The same files
make the same corpus, and the part of a document depends on its text alone.
"""

import collections

from absl import flags
from absl import logging

from keras_bert import command_line
from keras_bert.data.documentation import collect_documents
from keras_bert.data.documentation import default_roots
from keras_bert.data.documents import read_documents
from keras_bert.data.held_out import split_corpus
from keras_bert.files import check_writable
from keras_bert.files import expand_patterns
from keras_bert.text.sentences import split_sentences

_INPUT_FILE = flags.DEFINE_list(
    "input_file",
    None,
    "Own text files instead: paths and globs. Lines are split into sentences; "
    "blank lines end documents.",
)
_OUTPUT_DIR = flags.DEFINE_string(
    "output_dir", None, "Where train.txt and eval.txt go.", required=True
)
_ROOTS = flags.DEFINE_list(
    "roots", None, "Folders of Python packages; this Python's by default."
)
_EVAL_SHARE = flags.DEFINE_float(
    "eval_share",
    0.1,
    "Share of the documents to hold out.",
    lower_bound=0.0,
    upper_bound=1.0,
)


def main():
    check_writable(_OUTPUT_DIR.value)
    if _INPUT_FILE.value:
        documents = _read_own(expand_patterns(_INPUT_FILE.value))
    else:
        documents = _read_documentation(_ROOTS.value or default_roots())
    counts = split_corpus(documents, _OUTPUT_DIR.value, _EVAL_SHARE.value)
    logging.info(
        "%(documents)d documents (%(held_out)d held out), %(sentences)d "
        "sentences, %(words)d words, %(bytes)d bytes.",
        counts,
    )


def _read_documentation(roots):
    counts = collections.Counter()
    yield from collect_documents(roots, counts)
    logging.info(
        "%d files read, %d skipped.", counts["read"], counts["skipped"]
    )


def _read_own(paths):
    for document in read_documents(paths):
        yield [
            sentence
            for line in document
            for sentence in split_sentences(line.decode("utf-8"))
        ]


if __name__ == "__main__":
    command_line.run(main)
