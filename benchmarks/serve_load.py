"""Compare servers under load from clients on the same machine.

    python benchmarks/serve_load.py --onnx_dir=minilm-onnx \\
        --model_dir=all-MiniLM-L6-v2 --text_file=texts.txt \\
        --output_file=load.jsonl

Servers, each in a process of its own:

- keras_bert: `keras-bert serve ONNX_DIR`, an export with packed=True and
  precision="int8";
- sentence_transformers: a FastAPI route that calls `SentenceTransformer.encode`
  on MODEL_DIR in float32;
- onnxruntime: a FastAPI route that tokenizes and runs the file of
  `--plain_onnx_dir`, an export in int8 without packed=True.

The clients send one text per request, each its next request after the answer to
the last one. Each answer is compared with the embedding of the text that the
server gave before the load, so that vectors of another text would be found. An
answer is wrong if a value differs by more than --tolerance; in int8, the values
depend on the other texts of a batch. The servers alternate. Each run adds a
line to --output_file. The program ends with requests per second, the median and
the 99th percentile of the latency.
"""

import argparse
import asyncio
import itertools
import json
import os
import pathlib
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request

_NAMES = ("keras_bert", "sentence_transformers", "onnxruntime")
_PORT = 18100


def main():
    args = _arguments().parse_args()
    if args.serve:
        _serve(args)
        return
    texts = [
        line.strip()
        for line in pathlib.Path(args.text_file).read_text().splitlines()
        if line.strip()
    ][: args.num_texts]
    runs = []
    for number in range(args.rounds):
        for name in args.server or _NAMES:
            for run in _measured(args, name, texts):
                runs.append({"server": name, "round": number, **run})
                print(json.dumps(runs[-1]), flush=True)
                with open(args.output_file, "a") as file:
                    file.write(json.dumps(runs[-1]) + "\n")
    for clients in args.clients:
        for name in args.server or _NAMES:
            own = [
                run
                for run in runs
                if (run["server"], run["clients"]) == (name, clients)
            ]
            middle = sorted(own, key=lambda run: run["per_s"])[len(own) // 2]
            print(
                f"{clients} clients  {name}  {middle['per_s']:.0f}/s  "
                f"p50 {middle['p50_ms']:.1f} ms  p99 {middle['p99_ms']:.1f} ms"
            )


def _arguments():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--onnx_dir", required=True)
    parser.add_argument("--plain_onnx_dir")
    parser.add_argument("--model_dir")
    parser.add_argument("--text_file", required=True)
    parser.add_argument("--output_file", required=True)
    parser.add_argument("--server", action="append", choices=_NAMES)
    parser.add_argument("--clients", type=int, nargs="+", default=[1, 8, 64])
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--requests", type=int, help="instead of --seconds")
    parser.add_argument("--tolerance", type=float, default=0.1)
    parser.add_argument("--num_texts", type=int, default=512)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    return parser


def _measured(args, name, texts):
    """Start a server, and yield the figures for each number of clients."""
    if name == "keras_bert":
        command = [sys.executable, "-m", "keras_bert.cli.console", "serve"]
        command += [args.onnx_dir, "--name=model", f"--port={_PORT}"]
    else:
        command = [sys.executable, *sys.argv, f"--serve={name}"]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        _wait(server)
        expected = [_embedding(_post(text)) for text in texts]
        before = _rss_mib(server.pid)
        for clients in args.clients:
            start = time.perf_counter()
            seconds, differences = asyncio.run(
                _load(args, texts, expected, clients)
            )
            took = time.perf_counter() - start
            seconds.sort()
            yield {
                "clients": clients,
                "requests": len(seconds),
                "wrong": sum(x > args.tolerance for x in differences),
                "largest_difference": max(differences),
                "per_s": len(seconds) / took,
                "p50_ms": 1000 * seconds[len(seconds) // 2],
                "p99_ms": 1000 * seconds[int(len(seconds) * 0.99)],
                "rss_mib": [before, _rss_mib(server.pid)],
            }
    finally:
        server.send_signal(signal.SIGINT)
        server.wait()


async def _load(args, texts, expected, clients):
    """Return the seconds and the difference of each request."""
    end = time.perf_counter() + args.seconds
    seconds, differences, started = [], [], itertools.count()

    def goes_on():
        if args.requests:
            return next(started) < args.requests
        return time.perf_counter() < end

    async def client(number):
        reader, writer = await asyncio.open_connection("127.0.0.1", _PORT)
        index = number * 17
        while goes_on():
            index = (index + 1) % len(texts)
            body = _body(texts[index])
            head = (
                "POST /v1/embeddings HTTP/1.1\r\nHost: localhost\r\n"
                "Content-Type: application/json\r\n"
                f"Content-Length: {len(body)}\r\n\r\n"
            )
            start = time.perf_counter()
            writer.write(head.encode() + body)
            answer = await reader.readuntil(b"\r\n\r\n")
            lines = answer.decode().lower().split("\r\n")
            (length,) = [
                int(line.partition(":")[2])
                for line in lines
                if line.startswith("content-length")
            ]
            content = await reader.readexactly(length)
            seconds.append(time.perf_counter() - start)
            found = _embedding(content) if " 200 " in lines[0] else []
            differences.append(_difference(found, expected[index]))
        writer.close()

    await asyncio.gather(*map(client, range(clients)))
    return seconds, differences


def _body(text):
    return json.dumps({"model": "model", "input": text}).encode()


def _post(text):
    url = f"http://127.0.0.1:{_PORT}/v1/embeddings"
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(url, _body(text), headers)
    with urllib.request.urlopen(request) as response:
        return response.read()


def _embedding(content):
    return json.loads(content)["data"][0]["embedding"]


def _difference(found, expected):
    """Return the largest difference; infinity without an embedding."""
    if len(found) != len(expected):
        return float("inf")
    return max(abs(a - b) for a, b in zip(found, expected, strict=True))


def _wait(server):
    for _ in range(600):
        if server.poll() is not None:
            raise RuntimeError("The server has stopped.")
        try:
            _post("ready")
            return
        except urllib.error.URLError:
            time.sleep(0.1)
    raise TimeoutError


def _rss_mib(pid):
    with open(f"/proc/{pid}/status") as file:
        (line,) = [line for line in file if line.startswith("VmRSS")]
    return int(line.split()[1]) // 1024


def _serve(args):
    """Run the plain server of a peer."""
    import fastapi
    import uvicorn

    app = fastapi.FastAPI()
    embed = _PEERS[args.serve](args)

    def embeddings(body: dict):
        (vector,) = embed([body["input"]])
        return {"data": [{"embedding": vector.tolist()}]}

    app.post("/v1/embeddings")(embeddings)
    uvicorn.run(app, host="127.0.0.1", port=_PORT, log_level="warning")


def _sentence_transformers(args):
    from sentence_transformers import SentenceTransformer

    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    model = SentenceTransformer(args.model_dir, device="cpu")
    return lambda texts: model.encode(texts, show_progress_bar=False)


def _onnxruntime(args):
    import numpy as np
    import onnxruntime
    import tokenizers

    folder = pathlib.Path(args.plain_onnx_dir)
    tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    session = onnxruntime.InferenceSession(folder / "model.onnx")

    def embed(texts):
        rows = tokenizer.encode_batch(texts)
        feeds = {
            "input_ids": [row.ids for row in rows],
            "attention_mask": [row.attention_mask for row in rows],
            "token_type_ids": [row.type_ids for row in rows],
        }
        feeds = {name: np.array(x, np.int64) for name, x in feeds.items()}
        return session.run(["sentence_embedding"], feeds)[0]

    return embed


_PEERS = {
    "sentence_transformers": _sentence_transformers,
    "onnxruntime": _onnxruntime,
}


if __name__ == "__main__":
    main()
