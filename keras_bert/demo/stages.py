"""What the demo does: a program after the other."""

import os
import pathlib


def demo_stages(root, output, input_file):
    """All that the demo does, in order.

    Args:
        root: `pathlib.Path`, where `tools` and `configs` are.
        output: `pathlib.Path`, the directory of the demo.
        input_file: str, text files as a flag names them; "" for none.

    Returns:
        A list of titles and command lines.
    """
    is_inside = pathlib.Path.cwd() in [root, *root.parents]
    place = pathlib.Path(os.path.relpath(root) if is_inside else root)

    def program(name, *arguments):
        return [str(place / "tools" / f"{name}.py"), *arguments]

    def config(name):
        return place / "configs" / name

    def records(part):
        return program(
            "create_pretraining_data",
            f"--flagfile={config('demo_data.flags')}",
            f"--input_file={output}/corpus/{part}.txt",
            f"--vocab_file={output}/vocab.txt",
            f"--output_file={output}/{part}.tfrecord",
        )

    corpus = program("collect_corpus", f"--output_dir={output}/corpus")
    if input_file:
        corpus.append(f"--input_file={input_file}")
    vocabulary = program(
        "learn_vocabulary",
        f"--input_file={output}/corpus/train.txt",
        f"--output_file={output}/vocab.txt",
        "--vocab_size=8000",
    )
    training = program(
        "run_pretraining",
        f"--flagfile={config('demo_pretraining.flags')}",
        f"--input_file={output}/train.tfrecord",
        f"--eval_file={output}/eval.tfrecord",
        f"--vocab_file={output}/vocab.txt",
        f"--bert_config_file={config('bert_demo.json')}",
        f"--output_dir={output}/bert",
    )
    curves = program(
        "plot_training",
        f"--run_dir={output}/bert",
        f"--output_file={output}/training.png",
    )
    saved_model = program(
        "export_saved_model",
        f"--input_dir={output}/bert",
        f"--output_dir={output}/saved_model",
    )
    tflite = program(
        "export_tflite",
        f"--input_dir={output}/bert",
        f"--output_file={output}/encoder.tflite",
        "--task=feature_extractor",
        "--kind=float32",
    )
    report = program("demo_report", f"--output_dir={output}")
    return [
        ("Collect prose, hold a part out", corpus),
        ("Learn a vocabulary", vocabulary),
        ("Write records to train on", records("train")),
        ("Write records to evaluate on", records("eval")),
        ("Train a BERT", training),
        ("Draw the curves", curves),
        ("Export a SavedModel", saved_model),
        ("Export a TFLite file", tflite),
        ("Try all of it", report),
    ]
