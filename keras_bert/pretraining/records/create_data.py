"""Creation of pre-training records from text.

The job has two passes. The first pass tokenizes each chunk of the text and
joins the results into a memory-mapped corpus. The second pass creates each
shard of records from the whole corpus. In both passes, several processes work
on independent pieces. Finished pieces are stored in a work directory next to
the output, so that a killed run can resume. At the end, the records are renamed
and the manifest is written.
"""

import os
import time

from absl import logging

from keras_bert.files.atomic import check_writable
from keras_bert.files.manifest import manifest_path_for
from keras_bert.files.manifest import read_manifest
from keras_bert.files.outputs import check_no_input
from keras_bert.pretraining.records.data_warnings import check_counts
from keras_bert.pretraining.records.data_warnings import settings_of
from keras_bert.pretraining.records.data_warnings import shares_of
from keras_bert.pretraining.records.data_warnings import warn_of_examples
from keras_bert.pretraining.records.data_warnings import warn_of_text
from keras_bert.pretraining.records.options import DataOptions
from keras_bert.pretraining.records.options import TextOptions
from keras_bert.pretraining.records.tokenize_and_write import tokenize
from keras_bert.pretraining.records.tokenize_and_write import write_shards
from keras_bert.pretraining.records.work_directory import work_directory


def create_data(
    sources: list,
    output_files: list[str],
    text_options: TextOptions,
    options: DataOptions,
    manifest_path: str | None = None,
    num_workers: int = 1,
    overwrite: bool = False,
) -> dict[str, int]:
    """Create shuffled pre-training records from text.

    With the same seed, the output does not depend on the number of workers. To
    resume a killed run, call the function again.

    Args:
        sources: sources, as returned by `open_sources`.
        output_files: TFRecord files to write, all in the same directory. They
            are created together at the end.
        text_options: options for converting text to tokens.
        options: options for creating examples.
        manifest_path: JSON file for the settings, the hashes of inputs and
            outputs, and the counts; written last. By default
            "manifest-NAME.json", where NAME is the first output file, in the
            same directory.
        num_workers: number of processes. The second pass uses at most one
            process per output file.
        overwrite: whether to replace the output of an earlier run and delete
            its unfinished work. Other files are never replaced.

    Returns:
        A dict with the counts in the manifest. For the text: "documents",
        "sentences", "tokens", "unknown" (unknown tokens), "cut_tokens"
        (truncated tokens) and, if invalid lines are skipped, "bad_lines". For
        the records: "examples", "example_tokens" (with special tokens),
        "predictions" (masked tokens; 0 for dynamic masking) and, depending on
        the packing, "random_next" or "swapped" (examples with label 1).

    Raises:
        ValueError: an input is not text, the text is a single document, there
            are too many output files, an output file is an input or was not
            created by an earlier run, or the earlier run had different inputs
            or settings.
        OSError: for example, the disk is full. Call again to resume.

    References:
        [BERT](https://arxiv.org/abs/1810.04805), section 3.1
    """
    start = time.monotonic()
    text_options = text_options.resolved()
    if not output_files:
        raise ValueError("`output_files` must not be empty. Received: [].")
    manifest_path = manifest_path or str(manifest_path_for(output_files[0]))
    inputs = [*(source.name for source in sources), text_options.vocab_file]
    if text_options.lexicon_file is not None:
        inputs.append(text_options.lexicon_file)
    _check_output_files([*output_files, manifest_path], inputs)

    def settings():
        inputs = {source.name: source.fingerprint() for source in sources}
        return settings_of(inputs, len(output_files), text_options, options)

    with work_directory(
        manifest_path, output_files, settings, overwrite
    ) as work:
        if work is None:
            logging.info("Nothing to do: %s is complete.", manifest_path)
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
    return read_manifest(manifest_path)["counts"]


def _check_output_files(paths, inputs):
    names = {os.path.basename(path) for path in paths}
    folders = {os.path.realpath(os.path.dirname(path)) for path in paths}
    if len(folders) > 1 or len(names) < len(paths):
        raise ValueError(
            "Output files and manifest must be different files in one "
            f"directory. Received: {', '.join(paths[:9])}."
        )
    for path in paths:
        check_no_input(path, inputs)
    check_writable(folders.pop())
