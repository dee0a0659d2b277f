"""Words of sentences to tags, on a frozen encoder."""

from keras_bert.tasks.features.feature_based import FeatureBased
from keras_bert.tasks.token_classifier import TokenClassifier


class FeatureTokenClassifier(FeatureBased, TokenClassifier):
    """Gives each word a tag, from the states of an encoder that stays frozen.

    It is the tagger of the paper's feature-based approach: two LSTMs in both
    directions read the states of the last four layers, and the first piece
    speaks for a word. The encoder runs over the examples once, not once in
    each epoch.

    Args:
        pretrained, labels, seq_length: as `TokenClassifier` takes them.
        layers, combination, lstm_size, dropout, cache_dir, head_file: as
            `FeatureTextClassifier` takes them.

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
