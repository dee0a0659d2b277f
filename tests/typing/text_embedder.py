import typing

import keras_bert

embedder = keras_bert.TextEmbedder.from_pretrained(
    keras_bert.TINY_MODEL, normalize=True
)
typing.assert_type(embedder, keras_bert.TextEmbedder)
vectors = embedder.embed(["Open the file.", "The path of a directory."])
print(vectors @ vectors.T)
