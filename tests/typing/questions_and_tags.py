import typing

import keras_bert

answerer = keras_bert.QuestionAnswerer.from_pretrained(
    keras_bert.TINY_MODEL, seq_length=64, doc_stride=16
)
typing.assert_type(answerer, keras_bert.QuestionAnswerer)
questions = keras_bert.tasks.read_squad("train.json")
answerer.fit(questions, validation_data="dev.json", epochs=2)
for answer in answerer.predict([("Where?", "In Leipzig.")]):
    print(answer["start"], answerer.tune_null_threshold("dev.json"))
chooser = keras_bert.MultipleChoice.from_pretrained(keras_bert.TINY_MODEL)
typing.assert_type(chooser, keras_bert.MultipleChoice)
chooser.fit(keras_bert.tasks.read_swag("train.csv"))
words, tags = [["Ada", "met"]], [["B-PER", "O"]]
tagger = keras_bert.TokenClassifier.from_pretrained(
    keras_bert.TINY_MODEL, labels=keras_bert.TokenClassifier.labels_of(tags)
)
typing.assert_type(tagger, keras_bert.TokenClassifier)
tagger.fit(words, tags, epochs=2)
for entity in tagger.predict("Who was Ada?"):
    print(entity["text"].upper(), entity["label"])
print(keras_bert.tasks.entity_scores(tags, tagger.predict_words(words))["f1"])
