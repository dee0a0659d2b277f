"""Pre-trains families on the same text, each in its own way.

    python benchmarks/learning_families.py --input_file='novels/*.txt' \\
        --eval_file=another.txt --output_dir=runs/families --data_dir=data

Each learns a tokenizer of its own kind, makes its own examples and learns its
own objective from equally long ones; ModernBERT does so on BERT's word pieces
too, and there each of the two also with the other's share of masks. Of matrix
products all compute as many as BERT does in --num_train_steps. Prints a line
for each: on --eval_file, with 15 % of the tokens masked, masked-LM loss and
accuracy, and how often the order, the next sentence or a replaced token is told
right. ELECTRA's masked LM is its generator. Losses of different pieces and
objectives cannot be compared; so with --data_dir each model is then fine-tuned
on the SST-2 there, from three seeds. A run that has ended is not repeated.
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
    "input_file", None, "Text to learn from.", required=True
)
_EVAL_FILE = flags.DEFINE_string(
    "eval_file", None, "Text to be judged on.", required=True
)
_OUTPUT_DIR = flags.DEFINE_string("output_dir", None, "New.", required=True)
_STEPS = flags.DEFINE_integer("num_train_steps", 2000, "Steps.", lower_bound=1)
_VOCAB_SIZE = flags.DEFINE_integer("vocab_size", 8000, "Pieces.")

_DATA_DIR = flags.DEFINE_string(
    "data_dir", None, "Where the data sets are; by default none is learned."
)
_SEED = flags.DEFINE_integer("random_seed", 12345, "Of the training.")
_FAMILIES = flags.DEFINE_list("families", None, "Which; by default all.")

_ROOT = pathlib.Path(__file__).parents[1]
_SEQ_LENGTH = 64


@dataclasses.dataclass(frozen=True)
class _Family:
    """Flags of the programs, `{}` stands for the directory of the run."""

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
# What differs between families is the model, not the optimizer.
_AS_OTHERS = (
    "--optimizer=adamw --learning_rate_decay=linear --nomask_special_tokens"
)
_MODERNBERT = dataclasses.replace(
    _ROBERTA,
    config="modernbert_tiny",
    num_predictions=20,
    recipe=f"--flagfile=configs/modernbert_pretraining.flags {_AS_OTHERS}",
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
    # BERT's word pieces, so that losses can be compared: with both models by
    # both recipes.
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
# These stand behind those of the flagfiles.
_SIZES = "--train_batch_size=48 --precision=auto --log_steps=100"
_JUDGED = (
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
            figures |= _judge(_ALL[name], place)
            (place / "figures.json").write_text(json.dumps(figures))
        print(name, (place / "figures.json").read_text(), flush=True)
        if _DATA_DIR.value:
            print(name, "on SST-2", _fine_tuned(place), flush=True)


def _steps(family):
    """Steps with the matrix products of BERT's."""
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
    add_heads(backbone, heads, "pretrainer")  # This makes the matrices.
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


def _judge(family, place):
    """The evaluation before a first step from what was learned."""
    _run(
        f"tools/run_pretraining.py {_SIZES} {_JUDGED}",
        objective=family.objective,
        init_checkpoint=place / "run",
        input_file=f"{place}/train/*.tfrecord",
        eval_file=f"{place}/eval/*.tfrecord",
        output_dir=place / "judged",
    )
    lines = (place / "judged" / "metrics.jsonl").read_text().splitlines()
    points = [json.loads(line) for line in lines]
    return [point for point in points if point["split"] == "eval"][0]


def _fine_tuned(place):
    """The accuracies of SST-2 by seed, kept in a file."""
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
