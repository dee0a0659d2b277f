import typing

import keras_bert

ranker = keras_bert.PairRanker.from_pretrained(
    keras_bert.TINY_MODEL, activation="linear", seq_length=32
)
typing.assert_type(ranker, keras_bert.PairRanker)
lists = [("a film", ["a movie", "the sea"])]
loss = keras_bert.losses.ListNetLoss()
ranker.fit(lists, [[1, 0]], loss=loss, learning_rate=1e-3)
print(ranker.evaluate(lists, [[1, 0]])["ndcg_at_10"])
for index, score in ranker.rank("a film", ["a movie"], top_k=1):
    print(index + 1, score / 2)
