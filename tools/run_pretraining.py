"""Pre-train a BERT or a relative.

    keras-bert run_pretraining --input_file='tfrecords/train-*.tfrecord' \\
        --eval_file=tfrecords/eval.tfrecord --vocab_file=vocab.txt \\
        --bert_config_file="$(keras-bert configs)/bert_tiny.json" \\
        --output_dir=runs/tiny --num_train_steps=1000 --num_warmup_steps=100

How the records were made, their manifest tells: casing, lengths and masking
need flags only for records made elsewhere. Records of --masking=dynamic are
masked otherwise in every epoch; see docs/dynamic_masking.md.
With --eval_file the model is evaluated before and after, and every
--eval_steps. The curve goes to metrics.jsonl and to an event file for
TensorBoard beside the checkpoint. A run that was killed goes on where it was
when the same command is typed again; SIGTERM and Ctrl-C save first, a second
Ctrl-C stops at once. --train_batch_size is the global batch, on all devices of
--strategy and over all --gradient_accumulation_steps.
"""

from keras_bert import command_line
from keras_bert.cli.field_flags import FieldFlags
from keras_bert.pretraining import job as pretraining

_RECIPE = FieldFlags(
    pretraining.PretrainingRecipe,
    left_out=["sources"],
)


def main():
    _check_flags(**_RECIPE.holders)
    plan = pretraining.plan_pretraining(_RECIPE.values())
    pretraining.run_plan(plan)  # Only here is TensorFlow imported.


def _check_flags(
    init_checkpoint, vocab_file, bert_config_file, allow_missing, **others
):
    """Flags that contradict each other or have no effect are errors."""
    command_line.refuse_both(init_checkpoint, vocab_file)
    command_line.refuse_both(init_checkpoint, bert_config_file)
    command_line.refuse_both(init_checkpoint, others["generator_size"])
    if not init_checkpoint.value:
        command_line.refuse("is for --init_checkpoint", allow_missing)
    if not others["eval_file"].value:
        command_line.refuse("is for --eval_file", others["eval_steps"])
        command_line.refuse("is for --eval_file", others["eval_batch_size"])


if __name__ == "__main__":
    command_line.run(
        main,
        "keras-bert playground --model_dir={output_dir}",
    )
