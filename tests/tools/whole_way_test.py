"""From plain text to a served model, with the programs alone."""

import json
import os
import random

import numpy as np
import pytest
import tensorflow_text as tf_text
from ai_edge_litert import interpreter as litert

_TINY = {
    "vocab_size": None,  # Filled in below.
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "max_position_embeddings": 32,
}


def _sentences(seed, num_sentences):
    generator = random.Random(seed)
    subjects = ["the dog", "a cat", "every bird", "no fish", "my horse"]
    verbs = ["sees", "follows", "likes", "hears"]
    objects = ["the house", "a tree", "the river", "its friend", "nothing"]
    return [
        " ".join(generator.choice(part) for part in (subjects, verbs, objects))
        + "."
        for _ in range(num_sentences)
    ]


@pytest.mark.large
def test_text_becomes_a_model_that_answers(run, tmp_path):
    def go(tool, *arguments):
        code, stdout, stderr = run(tool, *arguments, folder=tmp_path)
        assert code == 0, stderr
        assert "Traceback" not in stderr
        return stdout

    for name, seed, size in (("train", 1, 200), ("eval", 2, 40)):
        sentences = _sentences(seed, size)
        documents = [sentences[i : i + 5] for i in range(0, size, 5)]
        text = "\n\n".join("\n".join(document) for document in documents)
        (tmp_path / f"{name}.txt").write_text(text)

    go(
        "learn_vocabulary",
        "--input_file=train.txt",
        "--output_file=vocab.txt",
        "--vocab_size=120",
        "--compact_ids",
    )
    tokens = (tmp_path / "vocab.txt").read_text().splitlines()
    assert tokens[:5] == ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    assert 40 < len(tokens) <= 120

    lengths = ["--max_seq_length=32", "--max_predictions_per_seq=5"]
    for name in ("train", "eval"):
        go(
            "create_pretraining_data",
            f"--input_file={name}.txt",
            "--vocab_file=vocab.txt",
            f"--output_file=records/{name}-1,records/{name}-2",
            "--dupe_factor=2",
            *lengths,
        )
    assert sorted(os.listdir(tmp_path / "records")) == [
        "eval-1",
        "eval-2",
        "manifest-eval-1.json",
        "manifest-train-1.json",
        "train-1",
        "train-2",
    ]

    config = {**_TINY, "vocab_size": len(tokens)}
    (tmp_path / "config.json").write_text(json.dumps(config))
    go(
        "run_pretraining",
        "--input_file=records/train-*",
        "--eval_file=records/eval-*",
        "--vocab_file=vocab.txt",
        "--bert_config_file=config.json",
        "--output_dir=run",
        "--num_train_steps=60",
        "--num_warmup_steps=6",
        "--learning_rate=3e-3",
        "--train_batch_size=16",
        *lengths,
    )
    files = os.listdir(tmp_path / "run")
    for name in (
        "run.json",
        "metrics.jsonl",
        "model.safetensors",
        "model_config.json",
        "tokenizer_config.json",
        "vocab.txt",
    ):
        assert name in files
    curve = (tmp_path / "run" / "metrics.jsonl").read_text().splitlines()
    curve = [json.loads(line) for line in curve]
    before, after = (point for point in curve if point["split"] == "eval")
    assert (before["step"], after["step"]) == (0, 60)
    assert after["mlm_loss"] < before["mlm_loss"] - 0.5

    go(
        "export_saved_model",
        "--input_dir=run",
        "--output_dir=served",
        "--task=fill_mask",
    )
    stdout = go(
        "query_saved_model",
        "--model_dir=served/1",
        "--text=the dog sees the [MASK].",
        "--text=[MASK] cat [MASK] a tree.",
    )
    answer = json.loads(stdout)
    shape = 2, 2, 5
    assert np.shape(answer["tokens"]) == shape
    assert np.shape(answer["token_probabilities"]) == shape
    assert set(np.ravel(answer["tokens"])) <= {*tokens, ""}
    assert answer["tokens"][0][1] == [""] * 5
    assert 0.05 < max(answer["token_probabilities"][0][0]) <= 1

    go(
        "export_tflite",
        "--input_dir=run",
        "--output_file=encoder.tflite",
        "--kind=float32",
        "--max_seq_length=24",
    )
    encode = litert.InterpreterWithCustomOps(
        model_path=str(tmp_path / "encoder_text.tflite"),
        custom_op_registerers=tf_text.tflite_registrar.SELECT_TFTEXT_OPS,
    ).get_signature_runner("serving_default")
    outputs = encode(text=np.array(["the dog sees the house."]))
    assert outputs["sequence_output"].shape[::2] == (1, 16)
    assert np.isfinite(outputs["pooled_output"]).all()
