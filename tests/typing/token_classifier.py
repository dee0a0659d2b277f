import typing

import keras_bert

words = [["Ada", "met", "Charles", "."]]
tags = [["B-PER", "O", "B-PER", "O"]]
labels = keras_bert.TokenClassifier.labels_of(tags)
tagger = keras_bert.TokenClassifier.from_pretrained(
    keras_bert.TINY_MODEL, labels=labels
)
typing.assert_type(tagger, keras_bert.TokenClassifier)
tagger.fit(words, tags, epochs=2)
for entity in tagger.predict("Who was Ada?"):
    print(entity["text"].upper(), entity["label"])
for entities in tagger.predict(["Who was Ada?"]):
    print([entity["text"] for entity in entities])
print(tagger.predict_words(words)[0][0])
print(keras_bert.tasks.entity_scores(tags, tagger.predict_words(words))["f1"])
