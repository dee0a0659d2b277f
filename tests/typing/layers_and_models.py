import typing

import keras

import keras_bert

tokens = keras.Input((None, 256))
mask = keras.Input((None,), dtype="int32")
block = keras_bert.layers.TransformerEncoderBlock(
    hidden_size=256, num_heads=4, intermediate_size=1024
)
states = block(tokens, mask)
keras.Model([tokens, mask], keras.layers.Dense(3)(states)).summary()

bert = keras_bert.from_pretrained(keras_bert.TINY_MODEL)
typing.assert_type(bert, keras_bert.checkpoints.PretrainedModel)
family = keras_bert.models.family.family_of("bert")
backbone = family.backbone(bert.config)
typing.assert_type(backbone, keras_bert.models.Backbone)
head = family.task_heads["classifier"].layer(bert.config, 2, "classifier")
typing.assert_type(head, keras_bert.layers.TaskHead)
keras_bert.save_pretrained(keras_bert.models.make_long(bert), "copy")
tokenizer = keras_bert.text.BertTokenizer("vocab.txt")
print(keras_bert.text.BertPreprocessor(tokenizer, seq_length=32)(["a text"]))
