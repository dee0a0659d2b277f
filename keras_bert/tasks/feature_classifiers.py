"""Labels of texts and tags of words, on a frozen encoder."""

from keras_bert.tasks.features.feature_based import FeatureBased
from keras_bert.tasks.text_classifier import TextClassifier
from keras_bert.tasks.token_classifier import TokenClassifier


class FeatureTextClassifier(FeatureBased, TextClassifier):
    """Sorts texts by labels from the states of an encoder that stays frozen.

    Two LSTMs in both directions read the states; the last states of the
    upper one are what the labels are told from. The encoder runs over the
    examples once, not once in each epoch.

    Args:
        pretrained: `PretrainedModel`, or `Elmo`, which is not saved.
        labels, multi_label, seq_length, truncation: as `TextClassifier` takes
            them.
        layers: iterable of int, which layers are read: 0 for the embeddings,
            1 for the first block and so on, or from the last, -1. By default
            the last four, or all blocks if there are fewer.
        combination: str, what is made of several layers: "concatenate", or
            "weighted", their sum by weights that are learned.
        lstm_size: int, of each direction; by default the encoder's width.
        dropout: float, of what goes into each LSTM and comes out of the last.
        cache_dir: str, where the states of the examples that `fit` is given
            are kept for the next training; nowhere by default.
        head_file: str, the weights of a trained head; `from_pretrained`
            finds it.

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
    """Gives each word a tag, from the states of an encoder that stays frozen.

    It is the tagger of the paper's feature-based approach: two LSTMs in both
    directions read the states of the last four layers, and the first piece
    speaks for a word. The encoder runs over the examples once, not once in
    each epoch.

    Args:
        labels, seq_length: as `TokenClassifier` takes them.
        pretrained, layers and others: as `FeatureTextClassifier` takes them.

    Example:

    >>> words = [["Ada", "met", "Charles", "."]]
    >>> tags = [["B-PER", "O", "B-PER", "O"]]
    >>> kind = keras_bert.tasks.FeatureTokenClassifier
    >>> tagger = kind.from_pretrained("directory", labels=kind.labels_of(tags))
    >>> history = tagger.fit(words, tags, verbose=0)
    >>> tagger.predict(["Who was Ada?"])
    [[{'text': 'Ada', 'label': 'PER', 'start': 8, 'end': 11}]]

    References:
        [BERT](https://arxiv.org/abs/1810.04805), section 5.3
    """

    is_per_token = True
