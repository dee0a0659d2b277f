"""Valid calls of the programs, as a table with one row per program."""

import dataclasses

_LENGTHS = "max_seq_length=16 max_predictions_per_seq=3"


@dataclasses.dataclass(frozen=True)
class Program:
    """Valid call of a program in the folder `files`.

    Args:
        call: str, flags without dashes.
        mistakes: pairs of changed flags, as in `call`, and words of the error.
            An empty value removes a flag.
        within: str, a file that it writes if its output is a directory.
        writes: str, the file that it writes if its name is not the output.
        goes_on: bool, whether the same call resumes an earlier one.
        replaces: bool, whether it has --overwrite. Programs that train for
            days do not.
        needs_beam: bool, whether it needs Apache Beam.
    """

    call: str
    mistakes: tuple = ()
    within: str = None
    writes: str = None
    goes_on: bool = False
    replaces: bool = True
    needs_beam: bool = False

    @property
    def flags(self):
        return flags_of(self.call)

    @property
    def output(self):
        """Return the flag of the output, or None."""
        names = ("output_file", "output_dir")
        return next((x for x in names if x in self.flags), None)

    @property
    def inputs(self):
        """Return the flags of the inputs."""
        return [
            name
            for name in self.flags
            if name.endswith(("_file", "_dir")) and not name.startswith("out")
        ]


def flags_of(call):
    """Return the flags of a call by name."""
    return dict(word.split("=", 1) for word in call.split())


PROGRAMS = {
    "collect_corpus": Program(
        "input_file=text.txt output_dir=corpus eval_share=0.4",
        (
            ("roots=.", "Either --input_file or --roots"),
            ("roots=. input_file= text_key=a", "--text_key requires --inp"),
            ("roots=run input_file=", "Received: 0 for training and 0 for ev"),
        ),
        within="train.txt",
    ),
    "convert_checkpoint": Program(
        "input_dir=bert output_dir=converted format=hf",
        within="config.json",
    ),
    "make_long": Program(
        "input_dir=bert output_dir=long max_positions=1024",
        (("window=7", "--window must be an even integer.*=7"),),
        within="model.safetensors",
    ),
    "create_pretraining_data": Program(
        "input_file=text.txt vocab_file=vocab.txt do_lower_case=true "
        f"output_file=made.tfrecord {_LENGTHS}",
        (
            ("output_dir=b", "One of --output_file and --output_dir.*b"),
            ("num_shards=2", "num_shards requires --outp"),
            (
                "masking=dynamic masked_lm_prob=0.2",
                "masked_lm_prob requires --masking=static",
            ),
            (
                "packing=full_sentences short_seq_prob=0.2",
                "short_seq_prob requires --packing=segment_pairs or sente",
            ),
        ),
        goes_on=True,
    ),
    "create_pretraining_data_beam": Program(
        "input_file=text.txt vocab_file=vocab.txt do_lower_case=true "
        f"output_dir=records {_LENGTHS}",
        (("input_file=no*.txt", "Input files must exist. No file mat"),),
        within="00000-of-00001.tfrecord",
        needs_beam=True,
    ),
    "embed": Program(
        "model_dir=bert input_file=text.txt output_file=vectors.npy",
        (("output_file=a.txt", "must be a .npy file.*a.txt"),),
    ),
    "export_onnx": Program(
        "input_dir=classifier output_dir=onnx",
        (
            (
                "format=openvino names=keras_bert",
                "--names requires --format=onnx.*names=keras_bert",
            ),
        ),
        within="model.onnx",
    ),
    "export_saved_model": Program(
        "input_dir=bert output_dir=served task=text_embedder dimensions=8 "
        "vector_precision=binary",
        (
            ("task=fill_mask", "requires --task=text_emb.*dimensions=8"),
            ("top_k=3", "requires --task=text_gen.*top_k=3"),
            (
                "task=text_generator max_seq_length=9",
                "does not apply to --task=text_gen.*max_seq_length=9",
            ),
        ),
        within="1/saved_model.pb",
    ),
    "export_tflite": Program(
        "input_dir=bert output_file=bert.tflite kind=float32 files=ids",
        (("kind=full_int8", "no representative texts"),),
        writes="bert_ids.tflite",
    ),
    "fill_mask": Program(
        "model_dir=bert input_file=masked.txt output_file=filled.jsonl",
        (
            ("output_file=", "must be given together"),
            ("input_file=", "One of --text and --input_file"),
        ),
    ),
    "generate": Program(
        "input_dir=bert prompt=dog",
        (("", "left-to-right model. Received: BERT, which is"),),
    ),
    "inspect_records": Program(
        "input_file=train.tfrecord vocab_file=vocab.txt",
    ),
    "learn_vocabulary": Program(
        "input_file=text.txt output_file=learned.txt vocab_size=60 "
        "compact_ids=true",
        (
            ("text_key=b", "--text_key requires .jsonl.*=b"),
            ("tfds_split=test", "tfds_split requires --tfds_n"),
            ("kind=byte_bpe compact_ids=", "byte_bpe needs.*--output_dir"),
            ("kind=byte_bpe", "compact_ids does not apply to --kind=byte_bpe"),
            ("output_dir=a", "--output_dir does not apply to --kind=wo"),
        ),
    ),
    "plot_training": Program(
        "run_dir=run output_file=curves.png",
        (
            ("output_file=a.xyz", "end in .png, .svg, .pdf.*'a.xyz'"),
            ("run_dir=run,other", "--run_dir must .*'other'"),
        ),
    ),
    "predict": Program(
        "model_dir=classifier input_file=text.txt output_file=answers.jsonl",
        (
            ("text_column=a", "--text_column does not apply to .txt"),
            (
                "input_file=dev.tsv text_column=pair word_column=1",
                "text_column cannot be combined with --word_column",
            ),
        ),
    ),
    "predict_beam": Program(
        "model_dir=served/1 input_file=text.txt output_dir=answers",
        within="00000-of-00001.jsonl",
        needs_beam=True,
    ),
    "query_saved_model": Program(
        "model_dir=bert text=dog",
        (
            ("", "must be a SavedModel, or a directory with num.*'bert'"),
            ("model_dir=", "required: --model_dir. --help shows"),
            ("txt=a", "unrecognized arguments: --txt=a"),
        ),
    ),
    "run_classifier": Program(
        "init_dir=bert train_file=train.tsv dev_file=dev.tsv output_dir=tuned "
        "text_column=sentence num_train_epochs=1",
        (
            ("task_name=sst2", "Received: --task_name=sst2, --train_f"),
            (
                "task_name=sst2 train_file= dev_file= text_column=",
                "--task_name needs --data_dir",
            ),
            ("truncation=tail windows=max", "Either --truncation"),
            ("search=paper learning_rate=1", "--learning_rate is chosen by"),
            ("temperature=3", "--temperature requires --teacher_dir"),
            ("regression=true new_head=true", "does not apply to regression"),
        ),
        within="eval.json",
    ),
    "run_multiple_choice": Program(
        "init_dir=bert train_file=train.csv dev_file=dev.csv "
        "output_dir=chooser num_choices=2 num_train_epochs=1",
        (
            ("train_file=", "One of --train_file and --tfds_name is"),
            (
                "train_file= dev_file= tfds_name=hellaswag data_format=swag",
                "--data_format requires --train_file",
            ),
        ),
        within="eval.json",
    ),
    "run_pretraining": Program(
        "input_file=train.tfrecord vocab_file=vocab.txt "
        "bert_config_file=config.json output_dir=trained num_train_steps=2 "
        f"num_warmup_steps=1 train_batch_size=4 {_LENGTHS}",
        (
            ("vocab_file=", "Pass --init_checkpoint, or both"),
            (
                "init_checkpoint=bert vocab_file=",
                "Either --init_checkpoint or --bert_config_file",
            ),
            ("allow_missing=pooler", "--allow_missing requires --init_che"),
            ("eval_steps=5", "--eval_steps requires --eval_file"),
        ),
        within="run.json",
        goes_on=True,
        replaces=False,
    ),
    "run_squad": Program(
        "init_dir=bert train_file=squad.json predict_file=squad.json "
        "output_dir=answered max_seq_length=16 num_train_epochs=1",
        (
            (
                "train_file= predict_file=",
                "--train_file or --predict_file must be given",
            ),
            ("train_file=", "Received: a model with no task"),
            ("train_file= seeds=2", "--seeds requires --train_f"),
            ("ensemble_dirs=bert", "--ensemble_dirs cannot be combined"),
        ),
        within="predictions.json",
    ),
    "run_tagger": Program(
        "init_dir=bert train_file=train.conll dev_file=dev.conll "
        "output_dir=tagger num_train_epochs=1",
        within="eval.json",
    ),
    "try": Program("text=[MASK]"),
}
WRITERS = [name for name, program in PROGRAMS.items() if program.output]
