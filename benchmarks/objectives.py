"""Pre-train model families on the same text, each with its own recipe.

    python benchmarks/learning_families.py --input_file='novels/*.txt' \\
        --eval_file=another.txt --output_dir=runs/families --data_dir=data

Each family learns its kind of tokenizer and trains its objective on examples of
the same length. ModernBERT is also trained on BERT's word pieces, where each of
the two is also trained with the masking rate of the other. All models compute
as many matrix products as BERT in --num_train_steps. The program prints a line
per model with the metrics on --eval_file, with 15 % of the tokens masked:
masked-LM loss and accuracy, and the accuracy of sentence order, next sentence
or replaced tokens. For ELECTRA, the generator is the masked LM. Losses with
different pieces or objectives are not comparable; with --data_dir, each model
is therefore fine-tuned on its SST-2 with three seeds. Finished runs are not
repeated.
"""

import dataclasses
import json
import pathlib
import shlex
import statistics
import subprocess
import sys
import time

import fine_tuning_tasks
import keras
from absl import app
from absl import flags
from flops import training_flops

import keras_bert
from keras_bert.checkpoints.family import read_config
from keras_bert.models.family import family_of
from keras_bert.models.heads import add_heads
from keras_bert.pretraining.objectives.objectives import OBJECTIVES

_INPUT_FILE = flags.DEFINE_string(
    "input_file", None, "Training text.", required=True
)
_EVAL_FILE = flags.DEFINE_string(
    "eval_file", None, "Evaluation text.", required=True
)
_OUTPUT_DIR = flags.DEFINE_string("output_dir", None, "Runs.", required=True)
_STEPS = flags.DEFINE_integer("num_train_steps", 2000, "Steps.", lower_bound=1)
_VOCAB_SIZE = flags.DEFINE_integer("vocab_size", 8000, "Vocabulary size.")

_DATA_DIR = flags.DEFINE_string(
    "data_dir", None, "Folder of SST-2; by default no fine-tuning."
)
_SEED = flags.DEFINE_integer("random_seed", 12345, "Training seed.")
_FAMILIES = flags.DEFINE_list("families", None, "Default: all.")

_ROOT = pathlib.Path(__file__).parents[1]
_SEQ_LENGTH = 64


@dataclasses.dataclass(frozen=True)
class _Family:
    """Flags of the programs; `{}` is replaced by the directory of the run."""

    config: str
    objective: str
    num_predictions: int
    learning: str
    vocabulary: str
    packing: str
    recipe: str


_WORDPIECE = "--kind=wordpiece --compact_ids --output_file={}/vocab.txt"
_BERT = _Family(
    "bert_tiny",
    "mlm_nsp",
    10,
    _WORDPIECE,
    "vocab.txt",
    "segment_pairs",
    "--learning_rate=1e-3",
)
_ROBERTA = _Family(
    "roberta_tiny",
    "mlm",
    10,
    "--kind=byte_bpe --output_dir={}/bpe",
    "bpe/vocab.json",
    "full_sentences",
    "--flagfile=configs/roberta_pretraining.flags",
)
_ALBERT = _Family(
    "albert_tiny",
    "mlm_sop",
    10,
    "--kind=sentencepiece --output_dir={}/spm",
    "spm/spiece.model",
    "sentence_order",
    "--flagfile=configs/albert_pretraining.flags",
)
# All families use the same optimizer, so that only the models differ.
_SAME_OPTIMIZER = (
    "--optimizer=adamw --learning_rate_decay=linear --nomask_special_tokens"
)
_MODERNBERT = dataclasses.replace(
    _ROBERTA,
    config="modernbert_tiny",
    num_predictions=20,
    recipe=f"--flagfile=configs/modernbert_pretraining.flags {_SAME_OPTIMIZER}",
)
_ELECTRA = _Family(
    "electra_tiny",
    "electra",
    10,
    _WORDPIECE,
    "vocab.txt",
    "full_sentences",
    "--flagfile=configs/electra_pretraining.flags",
)
_ON_WORD_PIECES = dataclasses.replace(
    _MODERNBERT, learning=_WORDPIECE, vocabulary="vocab.txt"
)
_ALL = {
    "bert": _BERT,
    "roberta": _ROBERTA,
    "albert": _ALBERT,
    "modernbert": _MODERNBERT,
    "electra": _ELECTRA,
    # On BERT's word pieces losses are comparable: both models with both
    # masking rates.
    "modernbert_on_word_pieces": _ON_WORD_PIECES,
    "modernbert_by_15_percent": dataclasses.replace(
        _ON_WORD_PIECES,
        num_predictions=10,
        recipe=f"{_MODERNBERT.recipe} --masked_lm_prob=0.15",
    ),
    "bert_by_30_percent": dataclasses.replace(
        _ON_WORD_PIECES, config="bert_tiny"
    ),
}
# These follow the flagfiles and override them.
_SIZES = "--train_batch_size=48 --precision=auto --log_steps=100"
_EVALUATION = (
    "--masked_lm_prob=0.15 --max_predictions_per_seq=10 --ngram=1 "
    "--nodo_whole_word_mask --num_train_steps=1 --num_warmup_steps=0"
)


def main(_):
    for name in _FAMILIES.value or _ALL:
        place = pathlib.Path(_OUTPUT_DIR.value, name)
        if not (place / "figures.json").exists():
            place.mkdir(parents=True)
            start = time.perf_counter()
            figures = {"steps": _steps(_ALL[name])}
            _pretrain(_ALL[name], figures["steps"], place)
            figures["seconds"] = round(time.perf_counter() - start)
            figures |= _evaluate(_ALL[name], place)
            (place / "figures.json").write_text(json.dumps(figures))
        print(name, (place / "figures.json").read_text(), flush=True)
        if _DATA_DIR.value:
            print(name, "on SST-2", _fine_tuned(place), flush=True)


def _steps(family):
    """Return the number of steps with as many operations as BERT's run."""
    return round(_STEPS.value * _flops(_BERT) / _flops(family))


def _flops(family):
    config = read_config(_ROOT / f"configs/{family.config}.json")
    config = dataclasses.replace(config, vocab_size=_VOCAB_SIZE.value)
    objective = OBJECTIVES[family.objective]
    models = {config: objective.parts}
    if "generator_size" in objective.fields:
        generator = config.generator(objective.fields["generator_size"])
        models[generator] = ["masked_lm_head"]
    return sum(
        _flops_of(config, parts, family.num_predictions)
        for config, parts in models.items()
    )


def _flops_of(config, parts, num_predictions):
    kind = family_of(config.model_type)
    backbone = kind.backbone(config)
    heads = kind.heads(config, backbone.embeddings)
    heads = {part: heads[part] for part in parts if part in heads}
    add_heads(backbone, heads, "pretrainer")  # Builds the weights.
    return training_flops(backbone, heads, _SEQ_LENGTH, num_predictions)


def _pretrain(family, steps, place):
    _run(
        f"tools/learn_vocabulary.py {family.learning.format(place)} "
        f"--vocab_size={_VOCAB_SIZE.value}",
        input_file=_INPUT_FILE.value,
    )
    vocabulary = {"vocab_file": place / family.vocabulary}
    for split, text in (("train", _INPUT_FILE), ("eval", _EVAL_FILE)):
        _run(
            "tools/create_pretraining_data.py --split_sentences "
            "--masking=dynamic --dupe_factor=1",
            input_file=text.value,
            packing=family.packing,
            max_seq_length=_SEQ_LENGTH,
            output_dir=place / split,
            **vocabulary,
        )
    _run(
        f"tools/run_pretraining.py {family.recipe} {_SIZES}",
        objective=family.objective,
        max_predictions_per_seq=family.num_predictions,
        num_train_steps=steps,
        num_warmup_steps=steps // 10,
        random_seed=_SEED.value,
        save_checkpoints_steps=steps,
        bert_config_file=f"configs/{family.config}.json",
        input_file=f"{place}/train/*.tfrecord",
        output_dir=place / "run",
        **vocabulary,
    )


def _evaluate(family, place):
    """Return the metrics of a trained model, evaluated before a first step."""
    _run(
        f"tools/run_pretraining.py {_SIZES} {_EVALUATION}",
        objective=family.objective,
        init_checkpoint=place / "run",
        input_file=f"{place}/train/*.tfrecord",
        eval_file=f"{place}/eval/*.tfrecord",
        output_dir=place / "evaluation",
    )
    lines = (place / "evaluation" / "metrics.jsonl").read_text().splitlines()
    points = [json.loads(line) for line in lines]
    return [point for point in points if point["split"] == "eval"][0]


def _fine_tuned(place):
    """Return the accuracy on SST-2 over the seeds; cache it in a file."""
    path = place / "sst2.json"
    if not path.exists():
        splits = fine_tuning_tasks.read_splits("sst2", _DATA_DIR.value, None)
        scores = [_fine_tune(place / "run", splits, seed) for seed in range(3)]
        path.write_text(json.dumps(scores))
    scores = json.loads(path.read_text())
    return f"{statistics.mean(scores):.1f} ± {statistics.stdev(scores):.1f} %"


def _fine_tune(directory, splits, seed):
    keras.utils.set_random_seed(seed)
    classifier = keras_bert.TextClassifier.from_pretrained(
        directory, labels=fine_tuning_tasks.label_names("texts", splits)
    )
    classifier.fit(
        *splits["train"], epochs=4, learning_rate=5e-4, seed=seed, verbose=0
    )
    return 100 * classifier.evaluate(*splits["dev"])["accuracy"]


def _run(command, **more):
    flags_ = [f"--{name}={value}" for name, value in more.items()]
    subprocess.run(
        [sys.executable, *shlex.split(command), *flags_],
        cwd=_ROOT,
        check=True,
        stderr=subprocess.DEVNULL,
    )


if __name__ == "__main__":
    app.run(main)
