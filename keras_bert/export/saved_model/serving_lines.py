"""Docker and curl commands that serve and query an exported model."""

import json
import pathlib
import shlex
import urllib.parse

from keras_bert.export.saved_model.serving_files import MODEL_CONFIG

IMAGE = "tensorflow/serving:2.19.1"

_EXAMPLES = {
    "text": "Some text.",
    "text_pair": "Another text.",
    "question": "Who eats?",
    "context": "The dog eats.",
    "choices": ["The first.", "The second."],
}


def docker_line(directory):
    """Return the Docker command that serves a model's versions.

    The directory must contain the files written by `write_serving_files`.
    """
    directory = pathlib.Path(directory).absolute()
    mount_path = f"/models/{directory.name}"
    words = [
        *"docker run --rm -p 8500:8500 -p 8501:8501".split(),
        *["-v", f"{directory}:{mount_path}:ro", IMAGE],
        f"--model_config_file={mount_path}/{MODEL_CONFIG}",
        "--allow_version_labels_for_unavailable_models",
        "--tensorflow_intra_op_parallelism=1",
    ]
    return shlex.join(words)


def curl_line(task, directory):
    """Return a curl command for the server of `docker_line`."""
    name = urllib.parse.quote(pathlib.Path(directory).absolute().name)
    url = f"http://localhost:8501/v1/models/{name}:predict"
    inputs = {name: [_EXAMPLES[name]] for name in task.text_inputs}
    mask = getattr(task, "mask", None)
    if mask is not None:
        inputs["text"] = [f"Some {mask} text."]
    request = json.dumps({"inputs": inputs})
    return shlex.join(["curl", "-d", request, url])
