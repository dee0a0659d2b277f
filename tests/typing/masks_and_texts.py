import typing

import keras_bert

fill_mask = keras_bert.FillMask.from_pretrained(keras_bert.TINY_MODEL, top_k=3)
typing.assert_type(fill_mask, keras_bert.FillMask)
for filling in fill_mask("The function returns a [MASK] of strings.")[0]:
    print(f"{filling['text']:10} {filling['probability']:.2f}")
generator = keras_bert.TextGenerator.from_pretrained("gpt", max_new_tokens=8)
typing.assert_type(generator, keras_bert.TextGenerator)
typing.assert_type(generator.generate(["The sea was"], seed=1), list[str])
typing.assert_type(generator.generate("The sea was", top_k=5), str)
