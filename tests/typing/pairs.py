import typing

import keras_bert

zero_shot = keras_bert.ZeroShotClassifier.from_pretrained(
    keras_bert.TINY_MODEL, hypothesis_template="It is {}.", multi_label=True
)
typing.assert_type(zero_shot, keras_bert.ZeroShotClassifier)
print(zero_shot.probabilities(["a film"], ["cinema", "sea"]).shape)
regressor = keras_bert.TextRegressor.from_pretrained("b", seq_length=32)
typing.assert_type(regressor, keras_bert.TextRegressor)
pairs = [("a film", "a movie"), ("a film", "the sea")]
regressor.fit(pairs, [4.5, 0.5], learning_rate=1e-3, patience=1)
print(max(regressor.predict(pairs)))
ranker = keras_bert.PairRanker.from_pretrained("b", activation="linear")
typing.assert_type(ranker, keras_bert.PairRanker)
lists = [("a film", ["a movie", "the sea"])]
ranker.fit(lists, [[1, 0]], loss=keras_bert.losses.ListNetLoss())
for index, score in ranker.rank("a film", ["a movie"], top_k=1):
    print(index + 1, score / 2)
