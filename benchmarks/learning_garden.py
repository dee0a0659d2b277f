"""Pre-train with Model Garden's task, as a reference for our training.

    garden/bin/python benchmarks/learning_garden.py train.tfrecord \\
        eval.tfrecord config.json runs/garden-1 --random_seed=1

The program needs tf-models-official and does not import keras_bert. It reads
the records of `create_pretraining_data.py`. Model, losses, data loader and
optimizer come from Model Garden; sizes and schedule follow `run_pretraining.py`
with the same flags. `plot_training.py` can draw its `metrics.jsonl` next to
ours.
"""

import argparse
import json
import pathlib

import tensorflow as tf
from official.nlp import optimization
from official.nlp.configs import bert
from official.nlp.configs import encoders
from official.nlp.data import pretrain_dataloader
from official.nlp.tasks import masked_lm


def main():
    flags = _parser().parse_args()
    tf.random.set_seed(flags.random_seed)
    config = json.loads(pathlib.Path(flags.config).read_text())
    task = masked_lm.MaskedLMTask(_task_config(flags, config))
    model = task.build_model()
    optimizer = optimization.create_optimizer(
        flags.learning_rate, flags.num_train_steps, flags.num_warmup_steps
    )
    metrics = task.build_metrics(training=True)
    batches = iter(task.build_inputs(task.task_config.train_data))

    @tf.function
    def step():
        task.train_step(next(batches), model, optimizer, metrics)

    output_dir = pathlib.Path(flags.output_dir)
    output_dir.mkdir(parents=True)
    with open(output_dir / "metrics.jsonl", "w") as file:
        for number in range(flags.num_train_steps + 1):
            if number % flags.eval_steps == 0:
                point = {"step": number, "split": "eval"}
                point.update(_evaluate(task, model))
                print(json.dumps(point), file=file, flush=True)
            if number < flags.num_train_steps:
                step()
            if number % flags.log_steps == flags.log_steps - 1:
                values = {m.name: float(m.result()) for m in metrics}
                point = {
                    "step": number + 1,
                    "split": "train",
                    "mlm_loss": values["lm_example_loss"],
                    "mlm_accuracy": values["masked_lm_accuracy"],
                    "nsp_loss": values["next_sentence_loss"],
                    "nsp_accuracy": values["next_sentence_accuracy"],
                }
                print(json.dumps(point), file=file, flush=True)
                for metric in metrics:
                    metric.reset_state()


def _parser():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("train_records", "eval_records", "config", "output_dir"):
        parser.add_argument(name)
    for name, value in {
        "random_seed": 1,
        "max_seq_length": 64,
        "max_predictions_per_seq": 10,
        "train_batch_size": 48,
        "num_train_steps": 3000,
        "num_warmup_steps": 300,
        "eval_steps": 500,
        "log_steps": 100,
    }.items():
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--learning_rate", type=float, default=1e-3)
    return parser


def _task_config(flags, config):
    encoder = encoders.BertEncoderConfig(
        vocab_size=config["vocab_size"],
        hidden_size=config["hidden_size"],
        num_layers=config["num_hidden_layers"],
        num_attention_heads=config["num_attention_heads"],
        intermediate_size=config["intermediate_size"],
        dropout_rate=config["hidden_dropout_prob"],
        attention_dropout_rate=config["attention_probs_dropout_prob"],
        max_position_embeddings=config["max_position_embeddings"],
        type_vocab_size=config["type_vocab_size"],
        initializer_range=config["initializer_range"],
    )
    head = bert.ClsHeadConfig(
        inner_dim=config["hidden_size"],
        num_classes=2,
        dropout_rate=config["hidden_dropout_prob"],
        name="next_sentence",
    )
    return masked_lm.MaskedLMConfig(
        model=bert.PretrainerConfig(
            encoder=encoders.EncoderConfig(type="bert", bert=encoder),
            cls_heads=[head],
            mlm_initializer_range=config["initializer_range"],
        ),
        train_data=_data(flags, flags.train_records, True),
        validation_data=_data(flags, flags.eval_records, False),
    )


def _data(flags, path, is_training):
    return pretrain_dataloader.BertPretrainDataConfig(
        input_path=path,
        is_training=is_training,
        drop_remainder=is_training,
        global_batch_size=flags.train_batch_size,
        seq_length=flags.max_seq_length,
        max_predictions_per_seq=flags.max_predictions_per_seq,
        use_next_sentence_label=True,
        use_position_id=False,
        shuffle_buffer_size=10_000,
        seed=flags.random_seed,
    )


def _evaluate(task, model):
    """Return means over all predictions and examples, as `run_pretraining`."""
    names = {"mlm": "mlm_logits", "nsp": "next_sentence"}
    sums = {}

    @tf.function(reduce_retracing=True)
    def batch_sums(inputs):
        outputs = model(inputs, training=False)
        labels = {
            "mlm": inputs["masked_lm_ids"],
            "nsp": inputs["next_sentence_labels"][:, 0],
        }
        weights = {
            "mlm": inputs["masked_lm_weights"],
            "nsp": tf.ones(tf.shape(labels["nsp"])),
        }
        results = {}
        for name, output in names.items():
            logits = tf.cast(outputs[output], tf.float32)
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(
                labels[name], logits
            )
            predictions = tf.argmax(logits, -1, labels[name].dtype)
            is_correct = tf.cast(
                tf.equal(predictions, labels[name]), tf.float32
            )
            results[name] = [
                tf.reduce_sum(weights[name]),
                tf.reduce_sum(losses * weights[name]),
                tf.reduce_sum(is_correct * weights[name]),
            ]
        return results

    for inputs in task.build_inputs(task.task_config.validation_data):
        for name, values in batch_sums(inputs).items():
            sums[name] = [
                float(value) + old
                for value, old in zip(
                    values, sums.get(name, [0.0] * 3), strict=True
                )
            ]
    means = {}
    for name, (weight, loss, correct) in sums.items():
        means[f"{name}_loss"] = loss / weight
        means[f"{name}_accuracy"] = correct / weight
    return means


if __name__ == "__main__":
    main()
