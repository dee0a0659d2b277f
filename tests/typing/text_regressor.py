import typing

import keras_bert

regressor = keras_bert.TextRegressor.from_pretrained(
    keras_bert.TINY_MODEL, seq_length=32
)
typing.assert_type(regressor, keras_bert.TextRegressor)
pairs = [("a film", "a movie"), ("a film", "the sea")]
regressor.fit(pairs, [4.5, 0.5], learning_rate=1e-3, patience=1)
print(regressor.evaluate(pairs, [4.5, 0.5])["pearson"])
print(max(regressor.predict(pairs)))
regressor.save("similarity")
