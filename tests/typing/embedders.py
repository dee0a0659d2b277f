import typing

import keras_bert

embedder = keras_bert.TextEmbedder.from_pretrained(
    keras_bert.TINY_MODEL, normalize=True
)
typing.assert_type(embedder, keras_bert.TextEmbedder)
vectors = embedder.embed(["Open the file.", "The path of a directory."])
print(vectors @ vectors.T)
few_shot = keras_bert.FewShotClassifier(embedder, ["cinema", "sea"])
few_shot.fit(["a film", "the sea"], [0, 1], num_iterations=5, seed=1)
print(few_shot.evaluate(["a film"], ["cinema"])["accuracy"])
few_shot = keras_bert.FewShotClassifier.from_pretrained("directory")
typing.assert_type(few_shot, keras_bert.FewShotClassifier)
