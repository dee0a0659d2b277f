"""Pre-training folders: static and dynamic records with manifests."""

import dataclasses
import shutil

import pytest

from keras_bert.checkpoints import PretrainedModel
from keras_bert.checkpoints import save_pretrained
from keras_bert.config import BertConfig
from keras_bert.files.manifest import manifest_path_for
from keras_bert.files.manifest import write_manifest
from keras_bert.pretraining import DataOptions
from keras_bert.pretraining import TextOptions
from keras_bert.pretraining import create_data
from keras_bert.pretraining import open_sources
from keras_bert.pretraining.job import PretrainingRecipe
from keras_bert.pretraining.job.loop import PretrainingLoop
from keras_bert.text import BertTokenizer
from keras_bert.text import Vocabulary
from keras_bert.text.wordpiece.vocabulary import SPECIAL_TOKENS
from tests import tiny

_WORDS = "the a dog cat bird sees likes finds red old new house".split()


class Folder:
    """Folder with vocab.txt, config.json and records of one masking.

    Attributes:
        path: `pathlib.Path`.
        vocabulary: `Vocabulary`.
        config: `BertConfig`.
    """

    def __init__(self, path, vocabulary, config):
        self.path = path
        self.vocabulary = vocabulary
        self.config = config

    def file(self, name):
        return str(self.path / name)

    def recipe(self, masking="static", **changes):
        """Return a valid recipe with changes; `masking` names the records."""
        values = {
            "input_file": [self.file(f"{masking}-train.tfrecord")],
            "eval_file": [self.file(f"{masking}-eval.tfrecord")],
            "vocab_file": self.file("vocab.txt"),
            "bert_config_file": self.file("config.json"),
            "output_dir": self.file("run"),
            "num_train_steps": 6,
            "num_warmup_steps": 2,
            "train_batch_size": 8,
            "precision": "float32",
        }
        return PretrainingRecipe(**{**values, **changes})

    def continued(self, checkpoint, **changes):
        """Return a recipe that starts from a checkpoint."""
        files = {"vocab_file": None, "bert_config_file": None}
        return self.recipe(init_checkpoint=str(checkpoint), **files, **changes)

    def write_manifest(self, name, **changes):
        """Rewrite the manifest of a record file.

        `changes` are settings, including the settings of "text" and "examples"
        by name; None removes a setting.
        """
        path = self.path / name
        text = {"do_lower_case": True}
        examples = dataclasses.asdict(_options(name))
        settings = {"vocabulary": self.vocabulary.sha256}
        for key, value in changes.items():
            for part in (text, examples, settings):
                if key in part:
                    part[key] = value
        settings |= {"text": text, "examples": examples}
        manifest = manifest_path_for(path)
        write_manifest(manifest, {name: path}, {"settings": settings})
        return str(manifest)

    def save_model(self, config, name="bert"):
        """Save a model with large weights and return its directory."""
        tokenizer = BertTokenizer(self.vocabulary)
        model = PretrainedModel.from_config(config, tokenizer)
        save_pretrained(tiny.widened(model), self.path / name)
        return self.path / name

    def drop_manifests(self):
        """Delete the manifests, like records of other programs."""
        for path in self.path.glob("manifest-*.json"):
            path.unlink()


def _options(name):
    kind = name.partition("-")[0]
    is_packed = kind == "packed"
    return DataOptions(
        max_seq_length=16,
        max_predictions_per_seq=3,
        dupe_factor=3,
        packing="best_fit" if is_packed else "segment_pairs",
        masking="dynamic" if is_packed else kind,
        random_seed=len(name),
    )


@pytest.fixture(scope="session")
def template(tmp_path_factory):
    path = tmp_path_factory.mktemp("template")
    vocabulary = Vocabulary([*SPECIAL_TOKENS, *_WORDS])
    vocabulary.save(path / "vocab.txt")
    documents = [
        [f"the {a} {b} sees a {c}" for b in _WORDS[2:6]]
        for a, c in zip(_WORDS, reversed(_WORDS))
    ]
    text = "\n\n".join("\n".join(document) for document in documents)
    (path / "text.txt").write_text(text)
    rates = dict.fromkeys(BertConfig.dropout_keys, 0.1)
    config = tiny.config("bert", V=len(vocabulary), L=1, **rates)
    config.to_json(path / "config.json")
    folder = Folder(path, vocabulary, config)
    for masking in ("static", "dynamic", "packed"):
        for part in ("train", "eval"):
            name = f"{masking}-{part}.tfrecord"
            create_data(
                open_sources([str(path / "text.txt")]),
                [str(path / name)],
                TextOptions(str(path / "vocab.txt")),
                _options(name),
            )
            folder.write_manifest(name)
    return folder


@pytest.fixture
def folder(template, tmp_path):
    path = tmp_path / "folder"
    shutil.copytree(template.path, path)
    return Folder(path, template.vocabulary, template.config)


@pytest.fixture
def killed(monkeypatch):
    """Return a function that interrupts a training after three intervals."""

    def killed(train, recipe):
        train_some, left = PretrainingLoop.train, iter(range(3))

        def stop_after_three(self, batches, num_steps):
            if next(left, None) is None:
                raise KeyboardInterrupt
            return train_some(self, batches, num_steps)

        with monkeypatch.context() as patch:
            patch.setattr(PretrainingLoop, "train", stop_after_three)
            with pytest.raises(KeyboardInterrupt):
                train(recipe)

    return killed
