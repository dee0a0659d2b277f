"""Tables of the text normalisation of the published BERT.

The rules are those of `BasicTokenizer` in google-research/bert: characters
that carry no text are dropped and white space becomes a space; an uncased
model then lower-cases, decomposes (NFD) and drops the accents.
No rule looks at a neighbour (save the final sigma of `str.lower`, left out),
so a table holds them, and tensorflow-text's op `FastBertNormalize` runs that
table inside the graph.

Python releases differ in their Unicode data. The rules are therefore pinned
to Unicode 13.0, the data of the oldest Python supported: a code point that
13.0 left unassigned maps to itself on every Python.
`tools/tables/build_normalizers.py` holds the rules and builds the tables.
"""

import bisect
import functools
import importlib.resources

MODES = {
    # (lowercase, strip_accents)
    (True, True): "uncased",
    (True, False): "lowercase",
    (False, False): "cased",
}


def normalizer_model(lowercase: bool, strip_accents: bool) -> bytes:
    """Reads the table that makes tensorflow-text normalise as BERT does.

    Args:
        lowercase: bool, True for the uncased models.
        strip_accents: bool, decompose (NFD) and drop the accents, as the
            published uncased models want it. Only with `lowercase`.

    Returns:
        Bytes, for `tensorflow_text.FastBertNormalizer` as `model_buffer` or
        `tensorflow_text.FastBertTokenizer` as
        `fast_bert_normalizer_model_buffer`.

    Raises:
        ValueError: accents are to be stripped and case kept.

    Example:

    >>> model = normalizer_model(lowercase=True, strip_accents=True)
    >>> normalizer = tf_text.FastBertNormalizer(model_buffer=model)
    >>> normalizer.normalize(["Le Café"])
    <tf.Tensor: shape=(1,), dtype=string, numpy=array([b'le cafe'], ...)>
    """
    mode = MODES.get((lowercase, strip_accents))
    if mode is None:
        raise ValueError(
            "`strip_accents=True` needs `lowercase=True`: there is no table "
            "that strips accents and keeps case. Received: "
            f"lowercase={lowercase}, strip_accents={strip_accents}."
        )
    return (_assets() / f"{mode}.bin").read_bytes()


def is_assigned(code_point: int) -> bool:
    """Tells whether Unicode 13.0 assigns the code point."""
    # Ranges start at the even positions and end before the odd ones.
    return bisect.bisect_right(_assigned_boundaries(), code_point) % 2 == 1


@functools.cache
def _assigned_boundaries():
    text = (_assets() / "unicode_13_assigned.txt").read_text("ascii")
    boundaries = []
    for line in text.splitlines():
        first, last = line.split("..")
        boundaries += [int(first, 16), int(last, 16) + 1]
    return boundaries


def _assets():
    return importlib.resources.files("keras_bert.text.normalization") / "tables"
