#!/bin/sh
# Writes `earlier/`: records, a killed run and a classifier of an old version.
#
#     git worktree add /tmp/old 43ae136
#     sh tests/golden/make_earlier_golden.sh /tmp/old .venv/bin/python
#
# 43ae136 is the last commit before the code moved to `pretraining/` and
# `tasks/`. `run/` was killed after step 200 of 400; `expected/` has the
# weights of an uninterrupted run, and the answers of `classifier/`.
set -eu
old=$(realpath "$1")
python=$(realpath -s "$2")
cd "$(dirname "$0")"
rm -rf earlier
mkdir -p earlier/expected
cd earlier

run() (
    name=$1
    shift
    export PYTHONPATH="$old" TF_CPP_MIN_LOG_LEVEL=3
    exec "$python" "$old/tools/$name.py" "$@"
)

printf '%s\n' '[PAD]' '[UNK]' '[CLS]' '[SEP]' '[MASK]' the a dog cat bird sees \
    likes finds red old new house '##s' > vocab.txt
for noun in dog cat bird house; do
    for verb in sees likes finds; do
        echo "the old $noun $verb a red cat"
        echo "a new $noun $verb the dogs"
    done
    echo
done > text.txt
cat > config.json <<'END'
{"vocab_size": 18, "hidden_size": 8, "num_hidden_layers": 1,
 "num_attention_heads": 2, "intermediate_size": 16,
 "max_position_embeddings": 16, "initializer_range": 0.5}
END
{
    printf 'text\tlabel\n'
    for noun in dog cat bird house; do
        printf "the old $noun sees a cat\tgood\n"
        printf "a new $noun likes the dog\tbad\n"
    done
} > train.tsv

run create_pretraining_data --input_file=text.txt --vocab_file=vocab.txt \
    --do_lower_case --output_file=records.tfrecord --max_seq_length=16 \
    --max_predictions_per_seq=3 --dupe_factor=4 --random_seed=7
pretrain() {
    export PYTHONPATH="$old" TF_CPP_MIN_LOG_LEVEL=3
    exec "$python" "$old/tools/run_pretraining.py" \
        --input_file=records.tfrecord --vocab_file=vocab.txt \
        --bert_config_file=config.json --output_dir="$1" --precision=float32 \
        --num_train_steps=400 --num_warmup_steps=5 --learning_rate=0.005 \
        --train_batch_size=8 --log_steps=200 --save_checkpoints_steps=200 \
        --keep_checkpoint_max=1
}
(pretrain whole)
run run_classifier --train_file=train.tsv --dev_file=train.tsv \
    --text_column=text --label_column=label --init_dir=whole \
    --output_dir=tuned --max_seq_length=16 --epochs=20 --batch_size=4 \
    --learning_rate=0.01 --precision=float32
mv tuned/model classifier
run predict --model_dir=classifier --input_file=train.tsv --text_column=text \
    --output_file=expected/answers.jsonl --precision=float32
mv whole/model.safetensors expected/
rm -r whole tuned

pretrain run &
until [ -e run/states/step-00000200.npz ]; do sleep 0.01; done
kill -9 $!
wait $! || true
ls run/states/step-00000200.npz
rm run/events.out.tfevents.*
