"""Run the data tool in processes that kill themselves.

    echo '{"kill_at": 7, "inputs": [...], ...}' | python killed_run.py

Each line of the input starts a run in a fork of this process, which has already
imported everything except TensorFlow, which must not run before a fork. The run
kills itself at file event number `kill_at`; 0 is never. Its exit code is
printed.
"""

import json
import os
import signal
import sys

from keras_bert.pretraining import DataOptions
from keras_bert.pretraining import TextOptions
from keras_bert.pretraining import create_data
from keras_bert.pretraining import open_sources
from keras_bert.pretraining.corpus import text_files


def _run(request):
    left = request["kill_at"]

    def hook(event, arguments):
        nonlocal left
        removes = event in ("os.rename", "os.remove", "os.rmdir")
        if removes or event == "open" and "/out" in str(arguments[0]):
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    text_files.CHUNK_BYTES = request["chunk_bytes"]
    sys.addaudithook(hook)
    create_data(
        open_sources(request["inputs"]),
        request["outputs"],
        TextOptions(request["vocab_file"]),
        DataOptions(**request["options"]),
    )
    if "tensorflow" in sys.modules:
        sys.exit("It was to do without TensorFlow.")


def main():
    for line in sys.stdin:
        child = os.fork()
        if not child:
            _run(json.loads(line))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main()
