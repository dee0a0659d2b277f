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
