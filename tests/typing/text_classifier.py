"""A script for the type checker; nothing runs the scripts of this folder."""

import typing

import keras_bert

classifier = keras_bert.TextClassifier.from_pretrained(
    keras_bert.TINY_MODEL, labels=["bad", "good"]
)
typing.assert_type(classifier, keras_bert.TextClassifier)
texts, labels = keras_bert.tasks.read_columns("reviews.csv", "text", "mood")
classifier.fit(
    texts, labels, validation_data=(texts, labels), epochs=1, verbose=0
)
accuracy = classifier.evaluate(texts, labels)["accuracy"]
answers = classifier.predict(["A friendly room.", "The bed was damp."])
typing.assert_type(answers, list[typing.Any])
for answer in answers:
    print(answer["label"], answer["probability"], f"{accuracy:.2f}")
classifier.save("mood")
classifier.export_saved_model("served/mood")
classifier.export_tflite("mood.tflite")
