"""The data tool: text in, shuffled pre-training records out.

It makes two passes of independent pieces of work, which many processes share
and a killed run resumes. First each chunk of the text is tokenized into files;
joined, they are the corpus, mapped from disk. Then each shard of records is
built from the whole corpus. Finished pieces stay in a work directory next to
the output. At the end the records get their names, then the manifest is
written.
"""

import os
import time

from absl import logging

from keras_bert import artifacts
from keras_bert.pretraining.data_job.data_warnings import check_counts
from keras_bert.pretraining.data_job.data_warnings import settings_of
from keras_bert.pretraining.data_job.data_warnings import shares_of
from keras_bert.pretraining.data_job.data_warnings import warn_of_examples
from keras_bert.pretraining.data_job.data_warnings import warn_of_text
from keras_bert.pretraining.data_job.tokenize_and_write import tokenize
from keras_bert.pretraining.data_job.tokenize_and_write import write_shards
from keras_bert.pretraining.data_job.work_directory import work_directory


def create_data(
    sources,
    output_files,
    text_options,
    options,
    manifest_path=None,
    num_workers=1,
    overwrite=False,
):
    """Write records of pre-training examples.

    The same seed gives the same bytes with any number of workers. A killed run
    resumes when it is started again.

    Args:
        sources: list of sources, from `open_sources`.
        output_files: list of str, the TFRecord files to share the examples
            out to, all in one folder. They appear together, when all is done.
        text_options: `TextOptions`.
        options: `DataOptions`.
        manifest_path: str, the JSON file that records settings, hashes of
            the inputs and of the output and counts; it is written last. By
            default "manifest-", the name of the first output and ".json", next
            to that output.
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
            are too many, are inputs or are not ours, or an earlier run had
            other inputs or settings.
        OSError: the disk is full, for example; call again to resume.

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

    with work_directory(
        manifest_path, output_files, settings, overwrite
    ) as work:
        if work is None:
            logging.info("Nothing to do: %s is of this run.", manifest_path)
        else:
            counts, bad_lines = tokenize(
                work, sources, text_options, num_workers
            )
            check_counts(counts, [x.name for x in sources], options)
            bad_lines.log()
            warn_of_text(counts, options)
            counts.update(
                write_shards(work, text_options, options, num_workers)
            )
            warn_of_examples(counts, text_options, options)
            manifest = {
                "counts": counts,
                "shares": shares_of(counts, options),
                "bad_lines": bad_lines.listed,
                "seconds": round(time.monotonic() - start, 1),
            }
            work.finish(manifest)
    return artifacts.read_manifest(manifest_path)["counts"]


def _check_output_files(paths, inputs):
    names = {os.path.basename(path) for path in paths}
    folders = {os.path.realpath(os.path.dirname(path)) for path in paths}
    if len(folders) > 1 or len(names) < len(paths):
        raise ValueError(
            "Output files must be different files of one folder, where the "
            f"manifest lists them. Received: {', '.join(paths[:9])}."
        )
    for path in paths:
        artifacts.check_no_input(path, inputs)
    artifacts.check_writable(folders.pop())
