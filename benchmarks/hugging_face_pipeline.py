"""Labels texts with a pipeline of transformers, as a peer.

    python benchmarks/hugging_face_pipeline.py MODEL_DIR WORK_DIR SEED \\
        PRECISION

`fine_tuning_speed.py` starts it; WORK_DIR holds what
`fine_tuning_tasks.write_task` writes, of texts. It needs torch and transformers
only. It labels the split "test" in batches of several sizes, in the order of
the file and sorted by the number of characters; a pipeline pads to the longest
text of a batch. The head is random, which changes no time. Prints a JSON line
with the best speed.
"""

import json
import pathlib
import resource
import sys
import time

import torch
import transformers

_BATCH_SIZES = (1, 8, 32, 128)
_NUM_WARM_UP = 64


def main():
    model_dir, directory, seed, precision = sys.argv[1:]
    transformers.logging.set_verbosity_error()
    torch.manual_seed(int(seed))
    recipe, splits = (
        json.loads(pathlib.Path(directory, name).read_text())
        for name in ("recipe.json", "splits.json")
    )
    label = transformers.pipeline(
        "text-classification",
        model=model_dir,
        tokenizer=model_dir,
        dtype=getattr(torch, precision),
        device="cpu",
    )
    texts, _ = splits["test"]
    best = {"predict_per_s": 0.0}
    for order, some in (("file", texts), ("sorted", sorted(texts, key=len))):
        for batch_size in _BATCH_SIZES:
            options = {
                "batch_size": batch_size,
                "truncation": True,
                "max_length": recipe["seq_length"],
            }
            label(some[:_NUM_WARM_UP], **options)
            start = time.perf_counter()
            label(some, **options)
            rate = len(some) / (time.perf_counter() - start)
            if rate > best["predict_per_s"]:
                best = {
                    "predict_per_s": rate,
                    "order": order,
                    "batch_size": batch_size,
                }
    usage = resource.getrusage(resource.RUSAGE_SELF)
    print(json.dumps({**best, "peak_mib": usage.ru_maxrss // 1024}))


if __name__ == "__main__":
    main()
