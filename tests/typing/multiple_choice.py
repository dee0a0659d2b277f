import typing

import keras_bert

chooser = keras_bert.MultipleChoice.from_pretrained(keras_bert.TINY_MODEL)
typing.assert_type(chooser, keras_bert.MultipleChoice)
examples = keras_bert.tasks.read_swag("train.csv")
chooser.fit(examples)
print(chooser.evaluate(examples)["accuracy"])
for answer in chooser.predict(examples):
    print(answer)
