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
        labels: list of str, the names of the labels in order. Needed for an
            encoder; a fine-tuned model has its own, which these may put in
            another order.
        multi_label: bool, whether a text may have several labels or none.
        rename_labels: dict from labels that the model was trained with to
            their new names.
        new_head: bool, whether a random head takes the place of the trained
            one, such as one for other labels.
        seq_length: int, longest text or pair in tokens, special tokens
            included; by default as trained, or else 128, or the model's limit
            if that is less.
        truncation: str, which part of longer texts is kept: "head", their
            beginning, which is the default, "tail" or "head_tail".
        windows: str, "mean" or "max": longer single texts are not cut but
            read in windows, and the logits of the windows are pooled.
        stride: int, most tokens from the start of a window to the start of
            the next; by default windows overlap only so far that none is
            short.
        layers: iterable of int, which layers are read: 0 for the embeddings,
            1 for the first block and so on, or from the last, -1. By default
            the last four, or all blocks if there are fewer.
        combination: str, how several layers are combined: "concatenate", or
            "weighted", their sum by weights that are learned.
        lstm_size: int, of each direction; by default the encoder's width.
        dropout: float, rate before each LSTM and after the last.
        cache_dir: str, directory that keeps the states of the examples of
            `fit` for the next training; nowhere by default.
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
        pretrained: `PretrainedModel`, or `Elmo`, which is not saved.
        labels: list of str, the names of the tags, as `labels_of` makes
            them. Needed for an encoder; a fine-tuned model has its own, which
            these may put in another order.
        seq_length: int, longest window in tokens, special tokens included; by
            default as trained, or else 128, or the model's limit if that is
            less.
        rename_labels: dict from tags that the model was trained with, or
            from types of entities, such as "PER", to their new names.
        new_head: bool, whether a random head takes the place of the trained
            one, such as one for other labels.
        layers: iterable of int, which layers are read: 0 for the embeddings,
            1 for the first block and so on, or from the last, -1. By default
            the last four, or all blocks if there are fewer.
        combination: str, how several layers are combined: "concatenate", or
            "weighted", their sum by weights that are learned.
        lstm_size: int, of each direction; by default the encoder's width.
        dropout: float, rate before each LSTM and after the last.
        cache_dir: str, directory that keeps the states of the examples of
            `fit` for the next training; nowhere by default.
        head_file: str, the weights of a trained head; `from_pretrained`
            finds it.

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
