"""Records to train on, of both forms."""

import types

import pytest

_WORDS = "the a dog cat bird sees likes finds red old new house".split()


@pytest.fixture(scope="session")
def make_records(tmp_path_factory):
    """A function from "static" or "dynamic" to a folder to train from.

    `packing` says what its examples hold.

    It holds `train.tfrecord`, `eval.tfrecord`, `vocab.txt` and
    `config.json` of a model with dropout.
    """
    from keras_bert.config import BertConfig
    from keras_bert.data import PretrainingDataOptions
    from keras_bert.data import TextOptions
    from keras_bert.data import create_pretraining_data
    from keras_bert.data import open_sources
    from keras_bert.text import Vocabulary
    from keras_bert.text.wordpiece.vocabulary import SPECIAL_TOKENS

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
            create_pretraining_data(
                open_sources([str(place / "text.txt")]),
                [str(place / f"{name}.tfrecord")],
                TextOptions(str(place / "vocab.txt")),
                PretrainingDataOptions(
                    max_seq_length=16,
                    max_predictions_per_seq=3,
                    masking=masking,
                    packing=packing,
                    dupe_factor=1 if masking == "dynamic" else 3,
                    random_seed=seed,
                ),
            )
        config = BertConfig(
            vocab_size=len(vocabulary),
            hidden_size=8,
            num_hidden_layers=1,
            num_attention_heads=2,
            intermediate_size=16,
            max_position_embeddings=16,
        )
        config.to_json(place / "config.json")
        return types.SimpleNamespace(place=place, config=config)

    return make


@pytest.fixture(scope="session")
def make_discriminator():
    """A function from a config to a model with a replaced-token head."""
    from keras_bert.checkpoints import PretrainedModel
    from keras_bert.text import BertTokenizer
    from keras_bert.text import Vocabulary
    from keras_bert.text.wordpiece.vocabulary import SPECIAL_TOKENS

    words = [f"word{number}" for number in range(25)]
    tokenizer = BertTokenizer(Vocabulary([*SPECIAL_TOKENS, *words]))
    return lambda config: PretrainedModel.from_config(
        config, tokenizer, ["replaced_token_head"]
    )


@pytest.fixture(scope="session")
def learns_from():
    """A function from a learner, a batch and factors of the terms.

    It returns, by the ids of variables, whether a gradient reaches them.
    """
    import numpy as np
    import tensorflow as tf

    from keras_bert.training.objectives import OBJECTIVES

    def learns_from(learner, objective, batch, factors):
        inputs, labels, weights = batch
        inputs = {name: inputs[name] for name in learner.model.input}
        with tf.GradientTape() as tape:
            outputs = learner.model(inputs, training=True)
            loss = sum(
                factor * term.sums(outputs, labels, weights)["loss"]
                for term, factor in zip(
                    OBJECTIVES[objective].terms(), factors, strict=True
                )
            )
        variables = learner.model.trainable_variables
        gradients = tape.gradient(loss, variables)
        return {
            id(variable): gradient is not None
            and bool(np.any(tf.convert_to_tensor(gradient)))
            for variable, gradient in zip(variables, gradients, strict=True)
        }

    return learns_from
