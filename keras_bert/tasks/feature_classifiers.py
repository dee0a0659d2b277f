"""Text and token classifiers trained on a frozen encoder."""

from keras_bert.tasks.features.feature_based import FeatureBased
from keras_bert.tasks.text_classifier import TextClassifier
from keras_bert.tasks.token_classifier import TokenClassifier


class FeatureTextClassifier(FeatureBased, TextClassifier):
    """Text classifier trained on the hidden states of a frozen encoder.

    Two bidirectional LSTM layers read the hidden states, and a dense layer
    computes the logits from the final LSTM states. The encoder processes each
    example once, not in every epoch.

    Args:
        pretrained: `PretrainedModel` or `Elmo`. `save` does not support
            `Elmo`.
        **kwargs: arguments of the task and of `FeatureBased`.

    Example:

    >>> classifier = keras_bert.tasks.FeatureTextClassifier.from_pretrained(
    ...     "directory", labels=["negative", "positive"], cache_dir="states"
    ... )
    >>> history = classifier.fit(["a fine film", "a bore"], [1, 0], verbose=0)
    >>> [answer["label"] for answer in classifier.predict(["a fine film"])]
    ['positive']

    References:
        [BERT](https://arxiv.org/abs/1810.04805), section 5.3;
        [ELMo](https://arxiv.org/abs/1802.05365), section 3.2
    """


class FeatureTokenClassifier(FeatureBased, TokenClassifier):
    """Token classifier trained on the hidden states of a frozen encoder.

    This is the feature-based approach of the paper: two bidirectional LSTM
    layers read the hidden states of the encoder's last four layers, and the
    logits of a word come from its first word piece. The encoder processes each
    example once, not in every epoch.

    Args:
        pretrained: `PretrainedModel` or `Elmo`. `save` does not support
            `Elmo`.
        **kwargs: arguments of the task and of `FeatureBased`.

    Example:

    >>> words = [["Ada", "met", "Charles", "."]]
    >>> tags = [["B-PER", "O", "B-PER", "O"]]
    >>> kind = keras_bert.tasks.FeatureTokenClassifier
    >>> tagger = kind.from_pretrained("directory", labels=kind.labels_of(tags))
    >>> history = tagger.fit(words, tags, verbose=0)
    >>> [(x["text"], x["label"]) for x in tagger.predict("Who was Ada?")]
    [('Ada', 'PER')]

    References:
        [BERT](https://arxiv.org/abs/1810.04805), section 5.3
    """

    is_per_token = True
