"""The data tool: text in, shuffled pre-training records out.

Two passes, each of independent pieces of work, so that many processes share
them and a killed run goes on where it was. First each chunk of the text is
tokenized into files; joined, they are the corpus, mapped from disk. Then each
shard of records is built from all of the corpus. Finished pieces stay in a
working directory beside the output until all is done; then the records get
their names, and last the manifest is written.
"""

import os
import time

from absl import logging

from keras_bert import artifacts
from keras_bert.data.examples.packings import PACKINGS
from keras_bert.data.jobs.passes import tokenize
from keras_bert.data.jobs.passes import write_shards
from keras_bert.data.jobs.remarks import settings_of
from keras_bert.data.jobs.remarks import shares_of
from keras_bert.data.jobs.remarks import warn_of_examples
from keras_bert.data.jobs.remarks import warn_of_text
from keras_bert.data.jobs.work_directory import work_directory

_MAX_FILES = 10_000


def create_pretraining_data(
    sources,
    output_files,
    text_options,
    options,
    manifest_path=None,
    num_workers=1,
    overwrite=False,
):
    """Writes records of examples.

    The same seed gives the same bytes with any number of workers. A run that
    was killed goes on where it was when it is started again.

    Args:
        sources: list of sources, from `open_sources`.
        output_files: list of str, the TFRecord files to share the examples
            out to, all in one folder. They appear together, when all is done.
        text_options: `TextOptions`.
        options: `PretrainingDataOptions`.
        manifest_path: str, the JSON file that records settings, hashes of
            the inputs and of the output and counts; it comes last. By default
            "manifest-", the name of the first output and ".json", beside that.
        num_workers: int, processes; at most one for each output is busy.
        overwrite: bool, drop what an earlier run has left; its output stays
            until the new one is there. No other file is ever replaced.

    Returns:
        The manifest's counts: "documents", "sentences", "tokens", "unknown",
        "examples", "predictions", "example_tokens", "cut_tokens"; by the
        packing "random_next" or "swapped"; and, where bad lines are skipped,
        "bad_lines", ints.

    Raises:
        ValueError: an input is no text or is one document, the output files
            are too many, are inputs or none of ours, or an earlier run had
            other inputs or settings.
        OSError: the disk is full, for example; call again to go on.

    References:
        [BERT](https://arxiv.org/abs/1810.04805), section 3.1
    """
    start = time.monotonic()
    text_options = text_options.settled()
    if not output_files:
        raise ValueError("Output files must be named. Received: none.")
    manifest_path = manifest_path or str(
        artifacts.manifest_beside(output_files[0])
    )
    inputs = [*(source.name for source in sources), text_options.vocab_file]
    _check_output_files([*output_files, manifest_path], inputs)

    def settings():
        inputs = {source.name: source.fingerprint() for source in sources}
        return settings_of(inputs, len(output_files), text_options, options)

    with work_directory(manifest_path, output_files, settings, overwrite) as (
        work,
        settings,
    ):
        if work is None:
            logging.info("Nothing to do: %s is of this run.", manifest_path)
        else:
            counts, bad_lines = tokenize(
                work, sources, text_options, num_workers
            )
            _check_counts(counts, sources, output_files, options)
            bad_lines.log()
            warn_of_text(counts, options)
            counts = {
                **counts,
                **write_shards(work, text_options, options, num_workers),
            }
            warn_of_examples(counts, text_options, options)
            manifest = {
                "counts": counts,
                "shares": shares_of(counts, options),
                "bad_lines": bad_lines.listed,
                "seconds": round(time.monotonic() - start, 1),
            }
            work.finish(settings, manifest)
    return artifacts.read_manifest(manifest_path)["counts"]


def _check_output_files(paths, inputs):
    """Refuses what is wrong whatever an earlier run has left."""
    if len(paths) - 1 > _MAX_FILES:
        raise ValueError(
            f"Output files can be {_MAX_FILES} at most, for each is opened "
            f"and shuffled alone. Received: {len(paths) - 1} files."
        )
    names = set()
    folder = os.path.realpath(os.path.dirname(paths[0]))
    for path in paths:
        artifacts.check_no_input(path, inputs)
        if os.path.realpath(os.path.dirname(path)) != folder:
            raise ValueError(
                "Output files must be in one folder, where the manifest "
                f"lists them. Received: {paths[0]} and {path}."
            )
        name = os.path.basename(path)
        if name in names:
            raise ValueError(
                f"Output files must differ from each other. Received: {path}."
            )
        names.add(name)
    artifacts.check_writable(os.path.dirname(paths[0]) or ".")


def _check_counts(counts, sources, output_files, options):
    names = ", ".join(source.name for source in sources[:3])
    if not counts["tokens"]:
        raise ValueError(
            "Input must hold text, one sentence a line. Received: no word in "
            f"{len(sources)} file(s): {names}."
        )
    if counts["documents"] < 2 and PACKINGS[options.packing].label:
        raise ValueError(
            "Input must hold at least two documents, for second sentences "
            "come from another one. Put a blank line between "
            f"documents. Received: 1 document in {names}."
        )
    largest = counts["documents"] * options.dupe_factor
    if len(output_files) > largest:
        raise ValueError(
            f"Output files can be {largest} at most, a pass over a document "
            f"each. Received: {len(output_files)} files, "
            f"{counts['documents']} documents, "
            f"dupe_factor={options.dupe_factor}."
        )
