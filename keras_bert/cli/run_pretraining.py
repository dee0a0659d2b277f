"""Pre-train BERT or a related model.

    keras-bert run_pretraining --input_file='tfrecords/train-*.tfrecord' \\
        --eval_file=tfrecords/eval.tfrecord --vocab_file=vocab.txt \\
        --bert_config_file="$(keras-bert configs)/bert_tiny.json" \\
        --output_dir=runs/tiny --num_train_steps=1000 --num_warmup_steps=100

Casing, lengths and masking are read from the manifest of the records; the flags
are needed only for records of other programs. Records of --masking=dynamic are
masked differently in every epoch; see docs/dynamic_masking.md.
With --eval_file the model is evaluated before and after training, and every
--eval_steps. The training curve is written to metrics.jsonl and to a
TensorBoard event file next to the checkpoint. Run the same command again to
resume an interrupted run; SIGTERM and Ctrl-C save first, a second Ctrl-C stops
immediately. --train_batch_size is the global batch size, over all devices of
--strategy and all --gradient_accumulation_steps.
"""

from keras_bert import command_line
from keras_bert.cli import shared_flags
from keras_bert.cli.field_flags import FieldFlags
from keras_bert.pretraining import job as pretraining

PROGRAM = command_line.Program(
    __doc__, "keras-bert playground --model_dir={output_dir}"
)

_RECIPE = FieldFlags(
    PROGRAM,
    pretraining.PretrainingRecipe,
    left_out=["sources"],
)


def main():
    _check_flags(**_RECIPE.holders)
    recipe = _RECIPE.values()
    plan = pretraining.plan_pretraining(recipe)
    command_line.import_quietly("keras")
    shared_flags.set_operation_threads(recipe.parallel_parts)
    pretraining.run_plan(plan)


def _check_flags(
    init_checkpoint, vocab_file, bert_config_file, allow_missing, **others
):
    """Raise ValueError for flags that conflict or have no effect."""
    command_line.check_exclusive(init_checkpoint, vocab_file)
    command_line.check_exclusive(init_checkpoint, bert_config_file)
    command_line.check_exclusive(init_checkpoint, others["generator_size"])
    if not init_checkpoint.value:
        command_line.reject("requires --init_checkpoint", allow_missing)
    if not others["eval_file"].value:
        command_line.reject("requires --eval_file", others["eval_steps"])
        command_line.reject("requires --eval_file", others["eval_batch_size"])
