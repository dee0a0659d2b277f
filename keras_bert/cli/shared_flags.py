"""Flags that several programs share.

Each function defines one flag or a group of flags of a
`keras_bert.command_line.Program`, and returns the flag holders.
"""

import os

from keras_bert import command_line
from keras_bert.pretraining.job import choices


def pretrain_command(records):
    """Return the command that follows the creation of records."""
    return (
        f"keras-bert run_pretraining --input_file={records} "
        '--vocab_file={vocab_file} --bert_config_file="$(keras-bert '
        'configs)/bert_small.json" --output_dir=runs/small'
    )


def predict_command(file):
    """Return the command that follows fine-tuning."""
    return (
        "keras-bert predict --model_dir={output_dir}/model "
        f"--input_file={file} --output_file=answers.jsonl"
    )


def input_dir(program):
    """Define `--input_dir`, a checkpoint."""
    return program.required("input_dir", "Checkpoint directory.")


def model_dir(program):
    """Define `--model_dir`, which defaults to the tiny model of the library."""
    return program.optional(
        "model_dir",
        "Directory or name on the Hub; by default the tiny model that is "
        "included in the library.",
    )


def text_column(program, meaning="header; not for .txt files."):
    """Define `--text_column`, the column of the texts in a table."""
    return program.string(
        "text_column",
        "text",
        "Column of the text: its name, or its index from 0 if there is no "
        f"{meaning}",
    )


def do_lower_case(program):
    """Define `--do_lower_case`, which defaults to the checkpoint's casing."""
    meaning = (
        "Lowercase the text; only for files that do not specify the casing."
    )
    return program.bool("do_lower_case", None, meaning)


_COMPRESSED_TASKS = "text_embedder", "late_interaction_embedder"


def overwrite(program):
    """Define `--overwrite`, which replaces earlier output."""
    meaning = "Replace the output of an earlier run."
    return program.bool("overwrite", False, meaning)


def precision(program):
    """Define `--precision`, the compute dtype."""
    return program.enum(
        "precision",
        "auto",
        choices.PRECISIONS,
        "Dtype policy; auto is mixed_bfloat16 if the hardware supports it.",
    )


def vector_compression(program):
    """Define `--dimensions` and `--vector_precision`, for embedders.

    Returns:
        A dict mapping arguments of `TextEmbedder.export_saved_model` to flags.
    """
    return {
        "dimensions": program.integer(
            "dimensions",
            None,
            "Number of values of each vector to keep, for embedders.",
            lower_bound=1,
        ),
        "precision": program.enum(
            "vector_precision",
            None,
            ["float32", "int8", "binary"],
            "Type of the values of each vector, for embedders.",
        ),
    }


def max_seq_length(program, default="the training value, or the model's limit"):
    """Define `--max_seq_length`, the maximum input length."""
    return program.integer(
        "max_seq_length",
        None,
        f"Maximum number of tokens in an input; by default {default}.",
        lower_bound=3,
    )


def new_head(program):
    """Define `--new_head`, which replaces the head of another task."""
    return program.bool(
        "new_head",
        False,
        "Start with a random head if --init_dir was trained for different "
        "labels.",
    )


def splits(program, train, test, required=False):
    """Define `--train_file`, `--dev_file` and `--test_file`.

    Args:
        program: `Program`.
        train, test: descriptions of the files.
        required: bool, whether `--train_file` is required.

    Returns:
        A dict mapping split names to flags.
    """
    dev = "File to select the best epoch; by default a tenth of --train_file."
    return {
        "train": program.string("train_file", None, train, required=required),
        "dev": program.optional("dev_file", dev),
        "test": program.optional("test_file", test),
    }


def given_compression(holders, task):
    """Return the flags `vector_compression`; refuse them for other tasks."""
    if task not in _COMPRESSED_TASKS:
        command_line.reject(
            f"requires --task={' or '.join(_COMPRESSED_TASKS)}",
            *holders.values(),
        )
    return given(holders)


def for_queries(program):
    """Define `--for_queries`, which exports the embedder of queries."""
    meaning = "Export the model that embeds queries, for embedders."
    return program.bool("for_queries", False, meaning)


def exported_task(task, for_queries):
    """Return a task, or its embedder of queries if `--for_queries` is set."""
    if not for_queries.value:
        return task
    if not hasattr(task, "for_queries"):
        command_line.reject("requires an embedder", for_queries)
    return task.for_queries()


def given(holders):
    """Return the values of a dict of flags, without unset flags."""
    return {name: x.value for name, x in holders.items() if x.value}


def num_shards(program):
    """Define `--num_shards`, the number of files."""
    return program.integer(
        "num_shards",
        1,
        "Number of files to write to --output_dir.",
        lower_bound=1,
        upper_bound=10_000,
    )


def beam(program):
    """Define the runner of Apache Beam and its options."""
    return (
        program.string(
            "beam_runner",
            "FnApiRunner",
            "Beam runner; FnApiRunner runs locally.",
        ),
        program.list(
            "beam_options", [], "Comma-separated flags for the runner."
        ),
    )


def sampling(program):
    """Define the flags of text generation.

    Returns:
        A dict mapping arguments of `TextGenerator` to flags.
    """
    holders = {
        "max_new_tokens": program.integer(
            "max_new_tokens", 32, "Maximum number of new tokens.", lower_bound=1
        ),
        "temperature": program.float(
            "temperature",
            0.0,
            "Sampling temperature; 0 always takes the most probable token.",
            lower_bound=0.0,
        ),
        "top_k": program.integer(
            "top_k",
            0,
            "Number of tokens to sample from; 0 for all.",
            lower_bound=0,
        ),
        "top_p": program.float(
            "top_p", 1.0, "Total probability of the tokens to sample from."
        ),
        "seed": program.integer("random_seed", 0, "Random seed for sampling."),
    }
    program.group("Generation", holders.values())
    return holders


def set_operation_threads(parallel_parts):
    """Divide the cores among the parts of a batch.

    Call this function before TensorFlow computes anything.
    """
    if parallel_parts > 1:
        import tensorflow as tf

        num_threads = max(1, os.cpu_count() // parallel_parts)
        tf.config.threading.set_intra_op_parallelism_threads(num_threads)
