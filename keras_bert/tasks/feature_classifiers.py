"""Labels of texts and tags of words, on a frozen encoder."""

from keras_bert.tasks.features.feature_based import FeatureBased
from keras_bert.tasks.text_classifier import TextClassifier
from keras_bert.tasks.token_classifier import TokenClassifier


class FeatureTextClassifier(FeatureBased, TextClassifier):
    """Classifier of texts on the states of a frozen encoder.

    Two layers of bidirectional LSTMs read the states; the logits come from
    the last states of the upper layer. The encoder computes the examples once,
    not once in each epoch.

    Args:
        pretrained: `PretrainedModel`, or `Elmo`, which is not saved.
        **kwargs: of the task and of `FeatureBased`.

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
    """Tagger of words on the states of a frozen encoder.

    It is the tagger of the paper's feature-based approach: two layers of
    bidirectional LSTMs read the states of the last four layers, and the
    logits of a word are those of its first piece. The encoder computes the
    examples once, not once in each epoch.

    Args:
        pretrained: `PretrainedModel`, or `Elmo`, which is not saved.
        **kwargs: of the task and of `FeatureBased`.

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
