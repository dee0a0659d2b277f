"""Mutate the central files, and run the nearest tests on each mutant.

    pip install cosmic-ray
    python tests/mutation.py --python=.venv/bin/python

A mutant is a file with one small change, such as `<` instead of `<=`. If a
mutant passes the tests, it behaves as the file does, or a test is missing.

The tests run on the last commit, in a clone. Each result is a line of
`mutation.jsonl`. A run that was stopped continues with the other mutants. The
flag `--survivors` tests the mutants again that passed before.
"""

import argparse
import ast
import collections
import contextlib
import difflib
import itertools
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

_ROOT = pathlib.Path(__file__).parents[1]
# Tests of each file, the fastest first.
_TESTS = {
    "losses/cross_entropy": "losses/cross_entropy registration",
    "losses/multiple_negatives_ranking": (
        "losses/losses tasks/embeddings/refused_arguments"
    ),
    "optimizers/adam_step": "optimizers/adamw",
    "optimizers/schedules": "optimizers/schedules optimizers/curve",
    "layers/attention/attention": (
        "layers/self_attention layers/missing_masks layers/sliding_window"
        " tasks/text_generator layers/layers"
    ),
    "layers/attention/self_attention": (
        "layers/self_attention layers/rotary layers/query_chunks"
        " layers/sliding_window benchmark_flops layers/layers"
    ),
    "layers/attention/sliding_window": (
        "layers/sliding_window layers/near_attention"
    ),
    "layers/attention/block_sparse": "layers/block_sparse_attention",
    "layers/attention/disentangled_attention": (
        "layers/disentangled_attention layers/refused_arguments benchmark_flops"
    ),
    "pretraining/records/masking": (
        "pretraining/records/masking pretraining/records/masking_rules"
        " pretraining/batches/word_spans"
    ),
    "pretraining/records/span_masking": "pretraining/records/span_masking",
    "pretraining/records/segment_pairs": "pretraining/records/segment_pairs",
    "pretraining/records/filling": (
        "pretraining/records/filling pretraining/records/masking"
        " pretraining/records/create_data"
    ),
    "checkpoints/arrays/safetensors_file": (
        "checkpoints/arrays/safetensors_file checkpoints/arrays/sharded_file"
    ),
    "checkpoints/arrays/torch_file": "checkpoints/arrays/torch_file",
    "checkpoints/weight_map": "checkpoints/deberta checkpoints/loading",
    "config": (
        "config families/configs checkpoints/formats/peft models/long_models"
    ),
    "tasks/outputs/squad_scores": "tasks/outputs/squad_scores",
    "tasks/outputs/answer_spans": (
        "tasks/outputs/answer_spans tasks/outputs/squad_scores"
    ),
    "tasks/outputs/scores": "tasks/outputs/scores tasks/refused_arguments",
    "tasks/outputs/entity_scores": (
        "tasks/outputs/entity_scores tasks/inputs/refused_tags"
    ),
    "text/words": "text/words",
    "text/added_tokens": (
        "text/added_tokens text/wordpiece/split_tokens text/kinds"
    ),
    "text/preprocessor": (
        "text/host_preprocessor text/refused_arguments text/preprocessor"
        " tasks/inputs/text_windows tasks/training/encoded"
    ),
    "text/normalization/normalizers": (
        "text/normalization/albert text/normalization/normalizers"
    ),
    "text/sentencepiece/model": (
        "text/sentencepiece/model text/sentencepiece/writers"
    ),
    "text/bpe/merges": (
        "text/bpe/byte_tokenizer text/bpe/character_tokenizer text/kinds"
    ),
    "text/wordpiece/units": "text/host_preprocessor text/kinds",
    "export/saved_model/serving_files": (
        "export/serving_files export/written_files"
    ),
    "export/packed_model": "export/packed_model tasks/training/graph_function",
}
# Mutants of these lines change only the speed, the types or an inner check.
_SKIPPED_LINES = re.compile("TYPE_CHECKING|functools.*cache|strict=True")
# `is` and `==` are the same for None, bool and small numbers.
_SKIPPED_OPERATORS = re.compile("_(Eq_Is|NotEq_IsNot|Is_Eq|IsNot_NotEq)$")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("files", nargs="*", default=_TESTS, metavar="FILE")
    parser.add_argument("--count", type=int, default=12, help="for each file")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--survivors", action="store_true")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--output", default="mutation.jsonl")
    arguments = parser.parse_args()
    output = open(arguments.output, "a+")
    output.seek(0)
    results = {(x["file"], x["diff"]): x for x in map(json.loads, output)}
    with tempfile.TemporaryDirectory() as folder:
        clone = pathlib.Path(folder) / "clone"
        subprocess.run(["git", "clone", "-q", _ROOT, clone], check=True)
        for file in arguments.files:
            for result in _run(file, clone, results, arguments):
                results[file, result["diff"]] = result
                print(json.dumps(result), file=output, flush=True)
    print(table([*results.values()]))


def _run(file, clone, results, arguments):
    """Iterate over the new results of the mutants of a file."""
    path, python = clone / f"keras_bert/{file}.py", arguments.python
    source, limit = path.read_text(), None
    mutants = sample_mutants(source, f"{arguments.seed} {file}")
    for mutant in itertools.islice(mutants, arguments.count):
        lines = source.splitlines(), mutant.splitlines()
        diff = "\n".join([*difflib.unified_diff(*lines, n=1, lineterm="")][2:])
        old = results.get((file, diff))
        if old and not (arguments.survivors and old["survived"]):
            continue
        if limit is None:
            start = time.time()
            # The first run writes the bytecode of the clone.
            if not _pass_tests(file, clone, python, 600, bytecode=""):
                sys.exit(f"The tests of {file} fail without a change.")
            limit = 2 * (time.time() - start) + 20
        path.write_text(mutant)
        survived = _pass_tests(file, clone, python, limit)
        path.write_text(source)
        yield {"file": file, "survived": survived, "diff": diff}


def sample_mutants(source, seed):
    """Iterate over mutants in random order, each of another position.

    Args:
        source: str, the text of a Python file.
        seed: str.
    """
    try:
        from cosmic_ray import plugins
        from cosmic_ray.ast import ast_nodes
        from cosmic_ray.ast import get_ast
        from cosmic_ray.mutating import mutate_code
    except ImportError:
        sys.exit("Mutants need cosmic-ray: pip install cosmic-ray")
    nodes = [*ast_nodes(get_ast(source))]
    changes = collections.defaultdict(list)
    for name in plugins.operator_names():
        operator = plugins.get_operator(name)
        if operator.arguments() or _SKIPPED_OPERATORS.search(name):
            continue
        operator = operator()
        positions = (x for n in nodes for x in operator.mutation_positions(n))
        for occurrence, (start, _) in enumerate(positions):
            changes[start].append((operator, occurrence))
    generator = random.Random(seed)
    positions = sorted({*changes} - _skipped_positions(source, changes))
    generator.shuffle(positions)
    for position in positions:
        mutant = mutate_code(source, *generator.choice(changes[position]))
        # Some operators change the `*` of signatures.
        with contextlib.suppress(SyntaxError):
            ast.parse(mutant)
            yield mutant


def _skipped_positions(source, positions):
    """Return the positions in annotations and in skipped lines."""
    lines = source.splitlines()
    skipped = {x for x in positions if _SKIPPED_LINES.search(lines[x[0] - 1])}
    for node in ast.walk(ast.parse(source)):
        for name in ("annotation", "returns"):
            if part := getattr(node, name, None):
                start = part.lineno, part.col_offset
                end = part.end_lineno, part.end_col_offset
                skipped.update(x for x in positions if start <= x < end)
    return skipped


def _pass_tests(file, clone, python, limit, bytecode="1"):
    """Return True if the tests of a file pass within `limit` seconds."""
    tests = [f"tests/{name}_test.py" for name in _TESTS[file].split()]
    variables = {"PYTHONPATH": clone, "PYTHONDONTWRITEBYTECODE": bytecode}
    process = subprocess.Popen(
        [os.path.abspath(python), "-m", "pytest", "-xq", *tests],
        cwd=clone,
        env={**os.environ, **variables},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        return process.wait(limit) == 0
    except subprocess.TimeoutExpired:
        return False
    finally:
        # A test may have started processes.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def table(results):
    """Return a Markdown table with a row for each file, and the survivors."""
    rows = ["| file | mutants | caught | score |", "|---|---|---|---|"]
    for file in dict.fromkeys(x["file"] for x in results):
        survived = [x["survived"] for x in results if x["file"] == file]
        size, caught = len(survived), survived.count(False)
        rows.append(f"| {file} | {size} | {caught} | {caught / size:.0%} |")
    survivors = [x for x in results if x["survived"]]
    return "\n".join(
        [*rows, *(f"\n{x['file']}\n{x['diff']}" for x in survivors)]
    )


if __name__ == "__main__":
    main()
