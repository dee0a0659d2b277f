"""Create a corpus, split into train and eval.

    keras-bert collect_corpus --output_dir=corpus
    keras-bert collect_corpus --output_dir=corpus --input_file='text/*.txt'

Without --input_file it reads the English documentation on this machine: the
docstrings of the standard library and of all installed packages, their
READMEs and their long descriptions; nothing is imported or downloaded. With
--input_file or --tfds_name it splits the lines of the text into sentences.

It writes train.txt and eval.txt in the format of create_pretraining_data:
UTF-8, one sentence per line, a blank line between documents. Each file has a
manifest. The same files give the same corpus. The split of a document depends
only on its text.
"""

import collections

from absl import logging

from keras_bert import command_line
from keras_bert.cli import shared_flags
from keras_bert.cli.data.documentation import collect_documents
from keras_bert.cli.data.documentation import default_roots
from keras_bert.cli.data.text_flags import TextFlags
from keras_bert.files.outputs import check_files
from keras_bert.pretraining.corpus.held_out import corpus_files
from keras_bert.pretraining.corpus.held_out import split_corpus
from keras_bert.pretraining.corpus.sources import source_documents
from keras_bert.text.sentences import split_sentences

PROGRAM = command_line.Program(
    __doc__,
    "keras-bert learn_vocabulary --input_file={output_dir}/train.txt "
    "--output_file=vocab.txt --vocab_size=8000",
)

_TEXT = TextFlags(PROGRAM, is_optional=True)
_OUTPUT_DIR = PROGRAM.required(
    "output_dir", "Directory for train.txt and eval.txt."
)
_OVERWRITE = shared_flags.overwrite(PROGRAM)
_ROOTS = PROGRAM.list(
    "roots",
    None,
    "Folders with Python packages; by default the folders of this Python.",
)
_EVAL_SHARE = PROGRAM.float(
    "eval_share",
    0.1,
    "Fraction of the documents to hold out.",
    lower_bound=0.0,
    upper_bound=1.0,
)


def main():
    for flag in (_TEXT.input_file, _TEXT.tfds_name):
        command_line.check_exclusive(flag, _ROOTS)
    paths = _TEXT.paths()
    files = corpus_files(_OUTPUT_DIR.value)
    check_files(files, paths, _OVERWRITE.value)
    dropped = collections.Counter()
    extra = {"settings": {"eval_share": _EVAL_SHARE.value}, "dropped": dropped}
    if _TEXT.is_given:
        sources = _TEXT.sources(paths)
        inputs = {source.name: source.fingerprint() for source in sources}
        extra["settings"]["inputs"] = inputs
        documents = _read_own(sources, dropped)
    else:
        roots = _ROOTS.value or default_roots()
        extra["settings"]["roots"] = roots
        documents = _read_documentation(roots, dropped)
    counts = split_corpus(
        documents,
        _OUTPUT_DIR.value,
        _EVAL_SHARE.value,
        extra,
        overwrite=_OVERWRITE.value,
    )
    logging.info(
        "%(documents)d documents (%(held_out)d held out), %(sentences)d "
        "sentences, %(words)d words, %(bytes)d bytes.",
        counts,
    )


def _read_documentation(roots, dropped):
    """Yield documents; then log and count the dropped text."""
    counts = collections.Counter()
    yield from collect_documents(roots, counts)
    dropped["files"] = counts["skipped"]
    dropped["sentences"] = counts["copied"] + counts["scattered"]
    logging.info(
        "%d files read, %d skipped (not valid Python or UTF-8). "
        "Dropped in addition to code, lists and tables: %d duplicate "
        "sentences, %d sentences of documents that are too short.",
        counts["read"],
        counts["skipped"],
        counts["copied"],
        counts["scattered"],
    )


def _read_own(sources, dropped):
    """Yield documents; then log and count the skipped lines."""
    bad_lines = _TEXT.bad_lines()
    for document in source_documents(sources, bad_lines):
        yield [
            sentence
            for line in document
            for sentence in split_sentences(line.decode("utf-8"))
        ]
    if bad_lines:
        dropped["bad_lines"] = bad_lines.count
        bad_lines.log()
