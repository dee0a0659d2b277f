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
        layers: indices of the layers to read: 0 for the embeddings, 1 for the
            first block, -1 for the last. Defaults to the last four blocks, or
            to all blocks if there are fewer.
        combination: "concatenate", or "weighted" for a sum with trained
            weights.
        lstm_size: number of LSTM units per direction. Defaults to the hidden
            size of the encoder.
        dropout: dropout rate before each LSTM and after the last.
        cache_dir: directory that caches the hidden states for later calls of
            `fit`. If None, they are deleted after training.
        head_file: file with the weights of a trained head, set by
            `from_pretrained`.
        labels, multi_label, rename_labels, new_head: arguments of
            `TextClassifier`.
        seq_length, truncation, windows, stride: arguments of `TextClassifier`.

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
        layers, combination, lstm_size, dropout, cache_dir, head_file: arguments
            of `FeatureTextClassifier`.
        labels, seq_length, rename_labels, new_head: arguments of
            `TokenClassifier`.

    Example:

    >>> words = [["Ada", "met", "Charles", "."]]
    >>> tags = [["B-PER", "O", "B-PER", "O"]]
    >>> task_class = keras_bert.tasks.FeatureTokenClassifier
    >>> labels = task_class.labels_of(tags)
    >>> tagger = task_class.from_pretrained("directory", labels=labels)
    >>> history = tagger.fit(words, tags, verbose=0)
    >>> tagger.predict_words(words)
    [['B-PER', 'O', 'B-PER', 'O']]

    References:
        [BERT](https://arxiv.org/abs/1810.04805), section 5.3
    """

    is_per_token = True
