"""Static and dynamic training records."""

import types

import pytest

_WORDS = "the a dog cat bird sees likes finds red old new house".split()


@pytest.fixture(scope="session")
def make_records(tmp_path_factory):
    """Return a function from "static" or "dynamic" to a training folder.

    `packing` is the kind of examples. The folder contains `train.tfrecord`,
    `eval.tfrecord`, `vocab.txt` and the `config.json` of a model with dropout.
    """
    from keras_bert.pretraining import DataOptions
    from keras_bert.pretraining import TextOptions
    from keras_bert.pretraining import create_data
    from keras_bert.pretraining import open_sources
    from keras_bert.text import Vocabulary
    from keras_bert.text.wordpiece.vocabulary import SPECIAL_TOKENS
    from tests import tiny

    def make(masking, packing="segment_pairs"):
        place = tmp_path_factory.mktemp(masking)
        vocabulary = Vocabulary([*SPECIAL_TOKENS, *_WORDS])
        vocabulary.save(place / "vocab.txt")
        documents = [
            [f"the {a} {b} sees a {c}" for b in _WORDS[2:6]]
            for a, c in zip(_WORDS, reversed(_WORDS))
        ]
        text = "\n\n".join("\n".join(document) for document in documents)
        (place / "text.txt").write_text(text)
        for name, seed in (("train", 1), ("eval", 2)):
            create_data(
                open_sources([str(place / "text.txt")]),
                [str(place / f"{name}.tfrecord")],
                TextOptions(str(place / "vocab.txt")),
                DataOptions(
                    max_seq_length=16,
                    max_predictions_per_seq=3,
                    masking=masking,
                    packing=packing,
                    dupe_factor=1 if masking == "dynamic" else 3,
                    random_seed=seed,
                ),
            )
        rates = ("hidden_dropout_prob", "attention_probs_dropout_prob")
        sizes = {"V": len(vocabulary), "L": 1}
        config = tiny.config("bert", **sizes, **dict.fromkeys(rates, 0.1))
        config.to_json(place / "config.json")
        return types.SimpleNamespace(place=place, config=config)

    return make
