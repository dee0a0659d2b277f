import typing

import keras_bert

fill_mask = keras_bert.FillMask.from_pretrained(keras_bert.TINY_MODEL, top_k=3)
typing.assert_type(fill_mask, keras_bert.FillMask)
for answer in fill_mask("The function returns a [MASK] of strings.")[0]:
    print(f"{answer['text']:10} {answer['probability']:.2f}")
