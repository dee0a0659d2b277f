"""Pre-train ablations of BERT, fine-tune them and print a table of scores.

    python benchmarks/ablations.py --ablation=objectives --output_dir=runs \\
        --pretraining_flagfile=configs/ablations.flags \\
        --bert_config_file=configs/bert_tiny.json \\
        --input_file=train.tfrecord --eval_file=eval.tfrecord \\
        --vocab_file=vocab.txt --task=sst2 --data_dir=data

--ablation=objectives makes the paper's table of objectives (arXiv 1810.04805,
section 5.1), --ablation=layers its table of sizes (section 5.2): the same model
with different numbers of layers. Each model is pre-trained on the same records
with the same recipe, in a directory of --output_dir; an interrupted program is
resumed by the same command. Each model is then fine-tuned with several seeds on
datasets in the file layout of `fine_tune.py`.

The classifier reads the vectors of the first and the last token, so that a
left-to-right model also uses the whole text. Left-to-right models are
fine-tuned a second time with a BiLSTM on top, as in the paper.
"""

import dataclasses
import json
import pathlib
import statistics
import subprocess
import sys

import fine_tuning_tasks
import keras
from absl import app
from absl import flags

import keras_bert

_ABLATION = flags.DEFINE_enum(
    "ablation",
    None,
    ["objectives", "layers"],
    "Table to create.",
    required=True,
)
_OUTPUT_DIR = flags.DEFINE_string(
    "output_dir", None, "Output directory for the models.", required=True
)
_FLAGFILE = flags.DEFINE_string(
    "pretraining_flagfile",
    None,
    "Flag file for run_pretraining.py.",
    required=True,
)
_CONFIG_FILE = flags.DEFINE_string(
    "bert_config_file", None, "Config of the model.", required=True
)
_INPUT_FILE = flags.DEFINE_string(
    "input_file", None, "Records to train on.", required=True
)
_EVAL_FILE = flags.DEFINE_string(
    "eval_file", None, "Records to evaluate on.", required=True
)
_VOCAB_FILE = flags.DEFINE_string(
    "vocab_file", None, "Vocabulary of the records.", required=True
)
_LAYERS = flags.DEFINE_list(
    "layers", ["3", "6", "12", "24"], "Numbers of layers for --ablation=layers."
)
_TASK = flags.DEFINE_multi_enum(
    "task", ["sst2"], ["sst2", "mrpc"], "Dataset to fine-tune on."
)
_DATA_DIR = flags.DEFINE_string(
    "data_dir", None, "Directory with a folder for each dataset.", required=True
)
_EPOCHS = flags.DEFINE_integer("epochs", 4, "Number of fine-tuning epochs.")
_LEARNING_RATE = flags.DEFINE_float(
    "learning_rate", 5e-4, "Peak learning rate."
)
_SEEDS = flags.DEFINE_integer(
    "seeds", 3, "Number of seeds per model.", lower_bound=1
)
_SEQ_LENGTH = flags.DEFINE_integer(
    "seq_length", 64, "Maximum number of tokens."
)
_MAX_EXAMPLES = flags.DEFINE_integer(
    "max_examples", None, "Maximum number of examples per split.", lower_bound=1
)

_TOOL = pathlib.Path(__file__).parents[1] / "tools/run_pretraining.py"


def main(_):
    output = pathlib.Path(_OUTPUT_DIR.value)
    output.mkdir(parents=True, exist_ok=True)
    data = {
        name: fine_tuning_tasks.read_splits(
            name, _DATA_DIR.value, _MAX_EXAMPLES.value
        )
        for name in _TASK.value
    }
    variants = {"objectives": _objectives, "layers": _depths}
    variants = variants[_ABLATION.value](output)
    for name, arguments in variants.items():
        _pretrain(output / name, arguments)
    columns = ["model", "encoder weights", "held-out loss", "accuracy"]
    columns += [f"{name} {_evaluated(data[name])}" for name in data]
    print("|", " | ".join(columns), "|")
    print("|", "---|" * len(columns), sep="")
    for name in variants:
        _print_rows(output / name, data)


def _objectives(output):
    """Return the flags that set the objective of each model."""
    config = f"--bert_config_file={_CONFIG_FILE.value}"
    return {
        objective: [config, f"--objective={objective}"]
        for objective in ("mlm_nsp", "mlm", "left_to_right")
    }


def _depths(output):
    """Return the flags that set the number of layers of each model."""
    config = keras_bert.BertConfig.from_json(_CONFIG_FILE.value)
    variants = {}
    for number in map(int, _LAYERS.value):
        path = output / f"layers_{number}.json"
        dataclasses.replace(config, num_hidden_layers=number).to_json(path)
        variants[path.stem] = [f"--bert_config_file={path}"]
    return variants


def _pretrain(directory, arguments):
    command = [
        *(sys.executable, str(_TOOL), f"--flagfile={_FLAGFILE.value}"),
        f"--input_file={_INPUT_FILE.value}",
        f"--eval_file={_EVAL_FILE.value}",
        f"--vocab_file={_VOCAB_FILE.value}",
        f"--output_dir={directory}",
    ]
    subprocess.run([*command, *arguments], check=True)


def _print_rows(directory, data):
    """Fine-tune a pre-trained model; print a row with and without a BiLSTM."""
    lines = (directory / "metrics.jsonl").read_text().splitlines()
    points = [*map(json.loads, lines)]
    last = [point for point in points if point["split"] == "eval"][-1]
    bert = _read(directory)
    for has_lstm in [False, True] if bert.config.is_decoder else [False]:
        cells = [
            directory.name + " + BiLSTM" * has_lstm,
            f"{bert.encoder.count_params():,}",
            f"{last['mlm_loss']:.2f}",
            f"{last['mlm_accuracy']:.1%}",
            *(_fine_tuned(directory, x, has_lstm) for x in data.values()),
        ]
        print("|", " | ".join(cells), "|", flush=True)


def _fine_tuned(directory, splits, has_lstm):
    """Return the mean accuracy over the seeds, as text."""
    accuracies = []
    for seed in range(_SEEDS.value):
        keras.utils.set_random_seed(seed)
        classifier = fine_tuning_tasks.EndsClassifier(
            _read(directory),
            labels=fine_tuning_tasks.label_names("texts", splits),
            has_lstm=has_lstm,
            seq_length=_SEQ_LENGTH.value,
        )
        classifier.fit(
            *splits["train"],
            epochs=_EPOCHS.value,
            learning_rate=_LEARNING_RATE.value,
            seed=seed,
            verbose=0,
        )
        scores = classifier.evaluate(*splits[_evaluated(splits)])
        accuracies.append(100 * scores["accuracy"])
    text = f"{statistics.mean(accuracies):.1f}"
    if len(accuracies) > 1:
        text += f" ± {statistics.stdev(accuracies):.1f}"
    return f"{text} %"


def _read(directory):
    # A model trained without next sentences has no pooler; none is needed.
    return keras_bert.from_pretrained(directory, allow_missing=["pooler"])


def _evaluated(splits):
    """Return the name of the split that scores a model."""
    return "dev" if "dev" in splits else "test"


if __name__ == "__main__":
    app.run(main)
