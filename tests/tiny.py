"""Small configs and models for tests of several folders."""

import keras
import numpy as np

from keras_bert.checkpoints import PretrainedModel
from keras_bert.checkpoints.family import find_family
from keras_bert.config import BertConfig
from keras_bert.text import BertTokenizer
from keras_bert.text import Vocabulary
from keras_bert.text.wordpiece.vocabulary import SPECIAL_TOKENS

# Keys are letters of `size_keys`; a family uses the ones it has.
_SIZES = {"V": 30, "P": 16, "H": 8, "I": 16, "L": 2, "N": 2, "E": 4}
_OWN = {
    "big_bird": {"block_size": 2, "num_random_blocks": 1},
    "deberta-v2": {"position_buckets": 6},
    "longformer": {"P": 18, "attention_window": 4},
    "modernbert": {"I": 12, "L": 4, "local_attention": 4},
    # The first two positions are for padding.
    **dict.fromkeys(("mpnet", "roberta", "xlm-roberta"), {"P": 18}),
}


def config(model_type, **changes):
    """Return a small config of a family, without dropout.

    Args:
        model_type: str.
        **changes: sizes by letter of `size_keys`, such as `L=3`, and other
            values by key.
    """
    config_class = find_family(model_type).config
    known = {*config_class.__dataclass_fields__}
    sizes = {
        config_class.size_keys.get(key, key): value
        for key, value in {**_SIZES, **_OWN.get(model_type, {})}.items()
    }
    values = {**dict.fromkeys(config_class.dropout_keys, 0.0), **sizes}
    values = {key: value for key, value in values.items() if key in known}
    for key, value in changes.items():
        values[config_class.size_keys.get(key, key)] = value
    return config_class(**values)


def pretrained(config, parts=None, words=None):
    """Return a model with the vocabulary word0 to word24, 30 tokens."""
    words = words or [f"word{number}" for number in range(25)]
    tokenizer = BertTokenizer(Vocabulary([*SPECIAL_TOKENS, *words]))
    return PretrainedModel.from_config(config, tokenizer, parts)


def widened(model, seed=0, stddev=0.3):
    """Return a model after adding noise to all of its trainable weights.

    Args:
        model: Keras model or `PretrainedModel`.
    """
    random = np.random.default_rng(seed)
    weights = getattr(model, "trainable_weights", None)
    for weight in weights or model.weights.values():
        noise = random.normal(0.0, stddev, weight.shape)
        weight.assign_add(noise.astype("float32"))
    return model


def values_of(loop):
    """Return copies of all variables of a training loop."""
    return [np.array(variable.numpy()) for variable in loop.variables]


def reset(loop, values):
    """Assign values returned by `values_of`."""
    for variable, value in zip(loop.variables, values, strict=True):
        variable.assign(value)


def inputs_of(model, inputs):
    """Return only the inputs of a Keras model."""
    return {name: inputs[name] for name in model.input}


def check_keras_file(model, inputs, directory):
    """Assert that a `.keras` file and a clone keep outputs and names."""
    model.save(directory / "model.keras")
    reloaded = keras.saving.load_model(directory / "model.keras")
    clone = keras.models.clone_model(model)
    clone.set_weights(model.get_weights())
    paths = [weight.path for weight in model.weights]
    for copy in reloaded, clone:
        assert [weight.path for weight in copy.weights] == paths
        outputs = copy(inputs)
        for name, expected in model(inputs).items():
            np.testing.assert_array_equal(outputs[name], expected)


_WORDS = "the a dog cat bird eats sees meat fish seeds and . ##s".split()


def make_bert(words=_WORDS, **changes):
    """Create a tiny BERT with random weights and its own vocabulary."""
    values = {
        "vocab_size": len(SPECIAL_TOKENS) + len(words),
        "hidden_size": 16,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "intermediate_size": 32,
        "hidden_dropout_prob": 0.0,
        "attention_probs_dropout_prob": 0.0,
        "max_position_embeddings": 12,
        "initializer_range": 0.5,
    }
    return PretrainedModel.from_config(
        BertConfig(**{**values, **changes}),
        BertTokenizer(Vocabulary([*SPECIAL_TOKENS, *words])),
    )


def squad(*paragraphs):
    """Return questions in the structure of a SQuAD file.

    Args:
        *paragraphs: pairs of a context and a dict from ids to (question,
            answer) pairs. "" means no answer. An answer can be a pair of its
            text and start character.
    """
    return {
        "data": [
            {
                "title": "Title",
                "paragraphs": [
                    {
                        "context": context,
                        "qas": [
                            _entry(name, context, *pair)
                            for name, pair in questions.items()
                        ],
                    }
                    for context, questions in paragraphs
                ],
            }
        ]
    }


def _entry(name, context, question, answer):
    if isinstance(answer, str):
        answer = answer, context.find(answer)
    found = {"text": answer[0], "answer_start": answer[1]}
    return {
        "id": name,
        "question": question,
        "answers": [found] if answer[0] else [],
        "is_impossible": not answer[0],
    }
