"""Show a model on a page in the browser.

    keras-bert playground --port=8080
    keras-bert playground --model_dir=runs/mood/model
    keras-bert playground --left_to_right_dir=runs/gpt1

The page is served to this machine only; texts never leave the machine. It shows
masking, embeddings and attention for every model, mask filling and next
sentences for models pre-trained with these heads, and the predictions of
fine-tuned models. Install with `pip install 'keras-bert-tf[playground]'`. Stop
with Ctrl-C. See docs/playground.md.
"""

import time

import keras_bert
from keras_bert import command_line
from keras_bert.cli import shared_flags

PROGRAM = command_line.Program(__doc__)

_MODEL_DIR = shared_flags.model_dir(PROGRAM)
_LEFT_TO_RIGHT_DIR = PROGRAM.optional(
    "left_to_right_dir",
    "Directory of a GPT-1, or of a BERT that was pre-trained left to right, "
    "for comparison.",
)
_PORT = PROGRAM.integer(
    "port",
    0,
    "Port; by default the first free port starting at 7860.",
    lower_bound=0,
    upper_bound=65535,
)
_BROWSER = PROGRAM.bool("browser", True, "Open the page in a browser.")


def main():
    # Imported late, so that --help is fast.
    from keras_bert.checkpoints.layout import local_directory
    from keras_bert.playground import server

    server.check_port(_PORT.value)
    server.check_installed()
    command_line.import_quietly("keras")
    from keras_bert.playground.playground_model import PlaygroundModel
    from keras_bert.playground.tabs import TABS

    directory = local_directory(_MODEL_DIR.value or keras_bert.TINY_MODEL)
    name = _MODEL_DIR.value or "The tiny model of keras_bert"
    other = _LEFT_TO_RIGHT_DIR.value
    other = None if other is None else str(local_directory(other))
    model = PlaygroundModel(str(directory), name, other)
    page, address = server.launch(model, TABS, _PORT.value, _BROWSER.value)
    print(f"The playground is at {address}; stop it with Ctrl-C.", flush=True)
    try:
        while True:
            time.sleep(3600)
    finally:
        page.close(verbose=False)
