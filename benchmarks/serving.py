"""Compare the embedding speed of a SavedModel, a `TextEmbedder` and peers.

    python benchmarks/serving.py --way=saved_model --way=transformers \\
        --model_dir=minilm --text_file=sentences.txt \\
        --peer_python=hf/bin/python

MODEL_DIR is a sentence-transformers directory of a BERT, TEXT_FILE has one text
per line, and PEER_PYTHON needs torch, transformers, onnxruntime and openvino.
Ways:

- saved_model, loaded as in TensorFlow Serving; saved_model_1 with one thread
  per op (--tensorflow_intra_op_parallelism=1 of a server), saved_model_1_1 with
  one thread (also --tensorflow_inter_op_parallelism=1);
- embedder, a `TextEmbedder`, and embedder_1 with one thread per op;
- transformers, onnxruntime (float32 only) and openvino, with transformers'
  tokenizer; the last two read the models of `export_onnx` and
  `export_openvino`. Peers pad a batch to its longest text;
- onnxruntime_packed, onnxruntime_int8, onnxruntime_packed_int8, and the same
  with openvino: models exported with packed=True, with precision="int8" or with
  both. openvino is calibrated with the first texts of TEXT_FILE.

Each run is a process, and the ways alternate. A process warms up with 8
requests of 32 texts and 64 single texts. It then embeds all texts four times:
in file order, 32 per request; sorted by length, which a `TextEmbedder` does
itself in one call; from two concurrent clients; and the first 200 one by one,
for a median. All times include tokenization. Processor times are
sums over all threads; other programs affect them less, and least if the program
runs on one core (`taskset -c 0`). The program prints every run, and then the
medians with the ratio of the first way to each.

Only the standard library is imported before a way is chosen, so that the Python
of a peer needs only the peer.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import statistics
import sys
import tempfile
import threading
import time
import typing

_START = time.perf_counter()
_POLICIES = {"float32": "float32", "bfloat16": "mixed_bfloat16"}
_SEQ_LENGTH = 128
_BATCH_SIZE = 32
_NUM_SINGLE = 200
_NUM_WARM_UP = 64
_VECTOR = "sentence_embedding"
_NUM_CALIBRATED = 320
# Ways with a folder of the same name.
_EXPORTED = [
    f"{runtime}{packed}{int8}"
    for runtime in ("onnxruntime", "openvino")
    for packed in ("", "_packed")
    for int8 in ("", "_int8")
]


def main():
    args = _arguments().parse_args()
    if args.export_dir:
        (way,), (precision,) = args.way, args.precision
        print(json.dumps(_measured(way, precision, args)))
        return
    runs = {}
    with tempfile.TemporaryDirectory() as directory:
        _export(directory, args)
        for _ in range(args.rounds):
            for precision, way, command in _commands(directory, args):
                figures = json.loads(_output(command))
                runs.setdefault(precision, {}).setdefault(way, [])
                runs[precision][way].append(figures)
                print(precision, way, figures, flush=True)
    for precision, ways in runs.items():
        for line in _comparison(ways):
            print(precision, line)


def _arguments():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--way", action="append", choices=[*_WAYS])
    parser.add_argument("--precision", action="append", choices=_POLICIES)
    parser.add_argument("--model_dir", required=True)
    parser.add_argument("--text_file", required=True, help="one text per line")
    parser.add_argument("--peer_python", help="Python of the peers")
    parser.add_argument("--num_texts", type=int, default=2048)
    parser.add_argument("--rounds", type=int, default=3, help="runs per way")
    parser.add_argument("--export_dir", help="measure one way here")
    return parser


def _output(command):
    import measuring

    return measuring.output(command)


def _export(directory, args):
    """Export a SavedModel of each precision, and the models of peers."""
    import keras

    import keras_bert

    for precision in args.precision or _POLICIES:
        keras.config.set_dtype_policy(_POLICIES[precision])
        embedder = keras_bert.TextEmbedder.from_pretrained(
            args.model_dir, seq_length=_SEQ_LENGTH
        )
        embedder.export_saved_model(f"{directory}/{precision}")
    for way in {*(args.way or [])} & {*_EXPORTED}:
        keras.config.set_dtype_policy("float32")
        embedder = keras_bert.TextEmbedder.from_pretrained(
            args.model_dir, seq_length=_SEQ_LENGTH
        )
        is_int8, is_openvino = "int8" in way, "openvino" in way
        texts = read_texts(args.text_file, _NUM_CALIBRATED)
        export = keras_bert.export.export_onnx
        if is_openvino:
            export = keras_bert.export.export_openvino
        export(
            embedder,
            f"{directory}/{way}",
            packed="packed" in way,
            precision="int8" if is_int8 else "float32",
            texts=texts if is_int8 and is_openvino else None,
        )


def _commands(directory, args):
    for precision in args.precision or _POLICIES:
        for way in args.way or [x for x in _WAYS if x not in _PEERS]:
            if way.startswith("onnxruntime") and precision != "float32":
                continue
            yield (
                precision,
                way,
                [
                    args.peer_python if way in _PEERS else sys.executable,
                    __file__,
                    f"--way={way}",
                    f"--precision={precision}",
                    f"--model_dir={args.model_dir}",
                    f"--export_dir={directory}",
                    f"--text_file={args.text_file}",
                    f"--num_texts={args.num_texts}",
                ],
            )


def _comparison(ways):
    """Yield a line for each figure and way."""
    first = next(iter(ways))
    for figure in ways[first][0]:
        medians = {
            way: statistics.median(run[figure] for run in runs)
            for way, runs in ways.items()
        }
        for way, value in medians.items():
            ratio = medians[first] / value
            yield f"{figure}  {way} {value:.4g}, {first} {ratio:.2f} times"


def _measured(way, precision, args):
    texts = read_texts(args.text_file, args.num_texts)
    embed = _WAYS[way](args.model_dir, args.export_dir, precision)
    loaded = time.perf_counter() - _START
    first = _times(embed, texts[:1])
    _in_batches(embed, texts[: 8 * _BATCH_SIZE])
    for text in texts[:_NUM_WARM_UP]:
        embed([text])
    in_order = _times(_in_batches, embed, texts)
    if way.startswith("embedder"):
        alike = _times(embed, texts)
    else:
        alike = _times(_in_batches, embed, sorted(texts, key=len))
    with concurrent.futures.ThreadPoolExecutor(2) as clients:
        halves = texts[: len(texts) // 2], texts[len(texts) // 2 :]
        send = clients.map
        two = _times(
            lambda: list(send(lambda half: _in_batches(embed, half), halves))
        )
    single = [_times(embed, [text]) for text in texts[:_NUM_SINGLE]]
    median = sorted(x.elapsed for x in single)[len(single) // 2]
    processor = statistics.mean(x.processor for x in single)
    return {
        "sentences_per_s": len(texts) / in_order.elapsed,
        "sorted_per_s": len(texts) / alike.elapsed,
        "two_clients_per_s": len(texts) / two.elapsed,
        "single_ms": 1e3 * median,
        "sentences_per_processor_s": len(texts) / in_order.processor,
        "sorted_per_processor_s": len(texts) / alike.processor,
        "single_processor_ms": 1e3 * processor,
        "load_s": loaded,
        "first_answer_s": first.elapsed,
        "first_answer_processor_s": first.processor,
        "peak_mib": memory_mib("VmHWM"),
    }


class _Times(typing.NamedTuple):
    """Seconds elapsed, and seconds of all threads on the processor."""

    elapsed: float
    processor: float


def _times(function, *arguments):
    start, used = time.perf_counter(), time.process_time()
    function(*arguments)
    return _Times(time.perf_counter() - start, time.process_time() - used)


def _in_batches(embed, texts):
    """Embed texts in order, one batch per request."""
    for start in range(0, len(texts), _BATCH_SIZE):
        embed(texts[start : start + _BATCH_SIZE])


def memory_mib(name):
    """Return "VmHWM" (peak) or "VmRSS" (now) of this process in MiB.

    `ru_maxrss` would include the memory of the parent process.
    """
    with open("/proc/self/status", encoding="ascii") as file:
        line = next(line for line in file if line.startswith(name))
    return int(line.split()[1]) / 1024


def read_texts(path, number=None):
    """Return the first non-empty lines of a file."""
    with open(path, encoding="utf-8") as file:
        lines = (line.strip() for line in file)
        return [line for line in lines if line][:number]


def load_saved_model(directory, op_threads=0, ops_at_once=0):
    """Load a SavedModel of a `TextEmbedder` as TensorFlow Serving does.

    Args:
        directory: str.
        op_threads: int, threads per op; 0 for all cores.
        ops_at_once: int, concurrent ops; 0 for the number of cores.

    Returns:
        A function from a list of str to a float32 array `(num_texts, dim)`.
    """
    import numpy as np
    import tensorflow as tf
    import tensorflow_text  # noqa: F401, registers the tokenizer's ops

    config = tf.compat.v1.ConfigProto(
        intra_op_parallelism_threads=op_threads,
        inter_op_parallelism_threads=ops_at_once,
    )
    session = tf.compat.v1.Session(graph=tf.Graph(), config=config)
    with session.graph.as_default():
        loaded = tf.compat.v1.saved_model.load(session, ["serve"], directory)
    signature = loaded.signature_def["serving_default"]
    call = session.make_callable(
        signature.outputs["embedding"].name, [signature.inputs["text"].name]
    )
    return lambda texts: call(np.array(texts, object))


def _saved_model(*threads):
    return lambda _, export_dir, precision: load_saved_model(
        f"{export_dir}/{precision}/1", *threads
    )


def _embedder(num_op_threads=0):
    def load(model_dir, _, precision):
        import keras
        import tensorflow as tf

        import keras_bert

        tf.config.threading.set_intra_op_parallelism_threads(num_op_threads)
        keras.config.set_dtype_policy(_POLICIES[precision])
        return keras_bert.TextEmbedder.from_pretrained(
            model_dir, seq_length=_SEQ_LENGTH
        ).embed

    return load


def _tokenizer(model_dir, kind):
    from transformers import AutoTokenizer

    tokenize = AutoTokenizer.from_pretrained(model_dir)
    return lambda texts: tokenize(
        texts,
        padding=True,
        truncation=True,
        max_length=_SEQ_LENGTH,
        return_tensors=kind,
    )


def _transformers(model_dir, _, precision):
    import torch
    from transformers import AutoModel

    tokenize = _tokenizer(model_dir, "pt")
    model = AutoModel.from_pretrained(model_dir).eval()
    is_narrow = precision == "bfloat16"

    def embed(texts):
        inputs = tokenize(texts)
        with (
            torch.inference_mode(),
            torch.autocast("cpu", torch.bfloat16, enabled=is_narrow),
        ):
            states = model(**inputs).last_hidden_state
            mask = inputs["attention_mask"][..., None]
            means = (states * mask).sum(1) / mask.sum(1)
        return torch.nn.functional.normalize(means.float()).numpy()

    return embed


def _ids(tokenize, texts):
    """Return the inputs of our ONNX file."""
    inputs = tokenize(texts)
    names = "input_ids", "attention_mask", "token_type_ids"
    return {name: inputs[name].astype("int64") for name in names}


def _onnxruntime(way):
    def make(model_dir, export_dir, precision):
        import onnxruntime

        tokenize = _tokenizer(model_dir, "np")
        options = onnxruntime.SessionOptions()
        # By default it has a thread for each core, also outside `taskset`.
        options.intra_op_num_threads = len(os.sched_getaffinity(0))
        session = onnxruntime.InferenceSession(
            str(pathlib.Path(export_dir, way, "model.onnx")),
            options,
            providers=["CPUExecutionProvider"],
        )
        return lambda texts: session.run([_VECTOR], _ids(tokenize, texts))[0]

    return make


def _openvino(way):
    def make(model_dir, export_dir, precision):
        import openvino

        tokenize = _tokenizer(model_dir, "np")
        hints = {"float32": "f32", "bfloat16": "bf16"}
        compiled = openvino.compile_model(
            pathlib.Path(export_dir, way, "openvino_model.xml"),
            "CPU",
            {"INFERENCE_PRECISION_HINT": hints[precision]},
        )
        own = threading.local()  # A request serves one client at a time.

        def embed(texts):
            if not hasattr(own, "request"):
                own.request = compiled.create_infer_request()
            return own.request.infer(_ids(tokenize, texts))[_VECTOR]

        return embed

    return make


_PEERS = {
    "transformers": _transformers,
    **{
        way: (_openvino if "openvino" in way else _onnxruntime)(way)
        for way in _EXPORTED
    },
}
_WAYS = {
    "saved_model": _saved_model(),
    "saved_model_1": _saved_model(1),
    "saved_model_1_1": _saved_model(1, 1),
    "embedder": _embedder(),
    "embedder_1": _embedder(1),
    **_PEERS,
}


if __name__ == "__main__":
    main()
