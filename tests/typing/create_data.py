import typing

from keras_bert import pretraining

sources = pretraining.open_sources(["corpus.txt"])
settings, held_out = pretraining.learn_wordpiece(sources, 1000, min_frequency=3)
typing.assert_type(held_out, list[bytes])
settings.vocabulary.save("vocab.txt")
counts = pretraining.create_data(
    sources,
    ["sample.tfrecord"],
    pretraining.TextOptions(vocab_file="vocab.txt"),
    pretraining.DataOptions(max_seq_length=32),
    num_workers=2,
)
typing.assert_type(counts, dict[str, int])
