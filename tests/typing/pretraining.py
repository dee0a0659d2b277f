import typing

import keras_bert
from keras_bert.pretraining.job import PretrainingRecipe
from keras_bert.pretraining.job import plan_pretraining
from keras_bert.pretraining.job import run_plan

config = keras_bert.BertConfig(
    vocab_size=164, hidden_size=64, num_attention_heads=2
)
model = keras_bert.models.bert_pretrainer(config)
records = keras_bert.pretraining.dataset(
    ["sample.tfrecord"],
    batch_size=8,
    max_seq_length=32,
    max_predictions_per_seq=5,
    vocab_size=164,
    shuffle_seed=1,
)
schedule = keras_bert.optimizers.LinearWarmupDecay(
    1e-3, num_train_steps=40, num_warmup_steps=4
)
optimizer = keras_bert.optimizers.bert_adamw(model, schedule)
typing.assert_type(optimizer, keras_bert.optimizers.AdamW)
model.compile(
    optimizer,
    loss=keras_bert.pretraining.losses(),
    weighted_metrics=keras_bert.pretraining.metrics(),
)
model.fit(records.repeat(), steps_per_epoch=20)
recipe = PretrainingRecipe(
    input_file=["sample.tfrecord"], output_dir="run", learning_rate=1e-3
)
run_plan(plan_pretraining(recipe))
