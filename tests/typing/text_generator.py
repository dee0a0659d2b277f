import typing

import keras_bert

generator = keras_bert.TextGenerator.from_pretrained(
    "openai-community/openai-gpt", max_new_tokens=8
)
typing.assert_type(generator, keras_bert.TextGenerator)
for text in generator.generate(["The sea was"], seed=1):
    typing.assert_type(text, str)
typing.assert_type(generator.generate("The sea was", top_k=5), str)
