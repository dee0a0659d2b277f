import typing

import keras_bert

answerer = keras_bert.QuestionAnswerer.from_pretrained(
    keras_bert.TINY_MODEL, seq_length=64, doc_stride=16
)
typing.assert_type(answerer, keras_bert.QuestionAnswerer)
questions = keras_bert.tasks.read_squad("train.json")
answerer.fit(questions, validation_data="dev.json", epochs=2)
print(answerer.evaluate("dev.json")["f1"])
context = "Leipzig is a city in Saxony."
for answer in answerer.predict([("Where is Leipzig?", context)]):
    print(context[answer["start"] : answer["end"]])
print(answerer.tune_null_threshold("dev.json"))
