"""Continue texts with a left-to-right model.

    keras-bert generate --input_dir=runs/gpt1 \\
        --prompt='the cat sat on' --prompt='once upon a time' \\
        --temperature=0.8 --top_p=0.9

The model is a GPT-1, or a BERT that was pre-trained left to right. A line of
JSON is printed for each prompt, with the prompt and the generated text.
"""

import json

from keras_bert import command_line
from keras_bert.cli import shared_flags

PROGRAM = command_line.Program(__doc__)

_INPUT_DIR = shared_flags.input_dir(PROGRAM)
_PROMPT = PROGRAM.multi_string(
    "prompt", None, "Prompt to continue; may be repeated.", required=True
)
_SAMPLING = shared_flags.sampling(PROGRAM)
_DO_LOWER_CASE = shared_flags.do_lower_case(PROGRAM)


def main():
    # Imported late, so that --help is fast.
    command_line.import_quietly("keras")
    from keras_bert.checkpoints.layout import check_input
    from keras_bert.tasks import TextGenerator

    check_input(_INPUT_DIR.value)
    generator = TextGenerator.from_pretrained(
        _INPUT_DIR.value,
        lowercase=_DO_LOWER_CASE.value,
        **{name: holder.value for name, holder in _SAMPLING.items()},
    )
    texts = generator.generate(_PROMPT.value)
    for prompt, text in zip(_PROMPT.value, texts, strict=True):
        line = {"prompt": prompt, "text": text}
        print(json.dumps(line, ensure_ascii=False))
