import typing

import keras_bert

embedder = keras_bert.TextEmbedder.from_pretrained(keras_bert.TINY_MODEL)
classifier = keras_bert.FewShotClassifier(embedder, ["cinema", "sea"])
classifier.fit(["a film", "the sea"], [0, 1], num_iterations=5, seed=1)
print(classifier.evaluate(["a film"], ["cinema"])["accuracy"])
print(classifier.probabilities(["a film"]).shape)
classifier = keras_bert.FewShotClassifier.from_pretrained("directory")
typing.assert_type(classifier, keras_bert.FewShotClassifier)
