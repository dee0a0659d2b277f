"""Continue texts with a left-to-right model.

    keras-bert generate --input_dir=runs/gpt1 \\
        --prompt='the cat sat on' --prompt='once upon a time' \\
        --temperature=0.8 --top_p=0.9

The model is a GPT-1, or a BERT that was pre-trained left to right. Each prompt
gets a line of JSON on the screen, with the prompt and what follows it.
"""

import json

from absl import flags

from keras_bert import command_line

_INPUT_DIR = flags.DEFINE_string(
    "input_dir", None, "Checkpoint directory.", required=True
)
_PROMPT = flags.DEFINE_multi_string(
    "prompt", None, "The beginning of a text; may be repeated.", required=True
)
_MAX_NEW_TOKENS = flags.DEFINE_integer(
    "max_new_tokens", 32, "How many tokens follow at most.", lower_bound=1
)
_TEMPERATURE = flags.DEFINE_float(
    "temperature", 0.0, "0 takes the most probable token.", lower_bound=0.0
)
_TOP_K = flags.DEFINE_integer(
    "top_k", 0, "Draw one of so many; 0 for any.", lower_bound=0
)
_TOP_P = flags.DEFINE_float(
    "top_p", 1.0, "Draw one of those that are so probable together."
)
_RANDOM_SEED = flags.DEFINE_integer("random_seed", 0, "Of the draws.")
_DO_LOWER_CASE = flags.DEFINE_bool(
    "do_lower_case", None, "Lower-case texts, where no file says whether to."
)


def main():
    # Imported late, so that the manual is there at once.
    from keras_bert.checkpoints.layout import check_input
    from keras_bert.tasks import TextGenerator

    check_input(_INPUT_DIR.value)
    generator = TextGenerator.from_pretrained(
        _INPUT_DIR.value,
        lowercase=_DO_LOWER_CASE.value,
        max_new_tokens=_MAX_NEW_TOKENS.value,
        temperature=_TEMPERATURE.value,
        top_k=_TOP_K.value,
        top_p=_TOP_P.value,
        seed=_RANDOM_SEED.value,
    )
    texts = generator.generate(_PROMPT.value)
    for prompt, text in zip(_PROMPT.value, texts, strict=True):
        line = {"prompt": prompt, "text": text}
        print(json.dumps(line, ensure_ascii=False))


if __name__ == "__main__":
    command_line.run(main)
