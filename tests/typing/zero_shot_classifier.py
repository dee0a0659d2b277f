import typing

import keras_bert

classifier = keras_bert.ZeroShotClassifier.from_pretrained(
    keras_bert.TINY_MODEL, hypothesis_template="It is {}.", multi_label=True
)
typing.assert_type(classifier, keras_bert.ZeroShotClassifier)
print(classifier.probabilities(["a film"], ["cinema", "sea"]).shape)
print(classifier.predict("a film", labels=["cinema", "sea"]))
