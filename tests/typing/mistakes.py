"""Mistakes that the type checker must find: unused ignores are errors."""

import keras_bert

keras_bert.TextClasifier  # type: ignore[attr-defined]
keras_bert.BertConfig(vocab_size="164")  # type: ignore[arg-type]
keras_bert.BertConfig(vocab_size=164, n_layers=2)  # type: ignore[call-arg]
keras_bert.TINY_MODEL.upper()  # type: ignore[attr-defined]
classifier = keras_bert.TextClassifier.from_pretrained("mood")
generator = keras_bert.TextGenerator.from_pretrained("gpt")
generator.generate(["a text"]).upper()  # type: ignore[attr-defined]
keras_bert.from_pretrained("mood", strict="yes")  # type: ignore[arg-type]
classifier.predictions(["a text"])  # type: ignore[attr-defined]
classifier.fit(["a text"], [1], epoch=3)  # type: ignore[call-arg]
classifier.fit(["a text"], [1], epochs="3")  # type: ignore[arg-type]
classifier.predict(["a text"], show=True)  # type: ignore[call-overload]
keras_bert.TextClassifier.from_pretrained(
    "mood",
    label=["a"],  # type: ignore[call-arg]
)
keras_bert.TextEmbedder.from_pretrained(
    "mood",
    seq_length="3",  # type: ignore[arg-type]
)
answerer = keras_bert.QuestionAnswerer.from_pretrained("squad")
answerer.fit("train.json", epoch=3)  # type: ignore[call-arg]
features = keras_bert.tasks.FeatureTextClassifier.from_pretrained("features")
features.fit(["a text"], [1], epoch=3)  # type: ignore[call-arg]
