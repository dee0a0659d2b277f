"""The commands printed after an export run unchanged."""

import json
import pathlib
import re
import shlex
import urllib.request

import pytest
from google.protobuf import text_format
from tensorflow_serving.config import model_server_config_pb2

from keras_bert.export.saved_model.serving_files import MODEL_CONFIG
from keras_bert.export.saved_model.serving_lines import curl_line
from keras_bert.export.saved_model.serving_lines import docker_line
from keras_bert.tasks import FillMask
from keras_bert.tasks import QuestionAnswerer
from keras_bert.tasks import TextClassifier
from keras_bert.tasks import TextRegressor

_ROOT = pathlib.Path(__file__).parents[2]


@pytest.mark.parametrize(
    "name, task_class",
    [("answers", QuestionAnswerer), ("scores", TextRegressor)],
)
def test_the_request_by_rest_is_answered(
    make_bert, address, tmp_path, name, task_class
):
    task = task_class(make_bert())
    command, flag, body, url = shlex.split(curl_line(task, tmp_path / name))
    assert (command, flag) == ("curl", "-d")
    assert url == f"http://localhost:8501/v1/models/{name}:predict"
    url = url.replace("localhost:8501", address)
    with urllib.request.urlopen(url, body.encode()) as answer:
        outputs = json.load(answer)["outputs"]
    assert sorted(outputs) == sorted(task.output_names)


def test_the_config_to_copy_has_both_versions():
    (config,) = text_format.Parse(
        (_ROOT / "configs/serving" / MODEL_CONFIG).read_text(),
        model_server_config_pb2.ModelServerConfig(),
    ).model_config_list.config
    assert dict(config.version_labels) == {"stable": 1, "canary": 2}
    assert config.model_version_policy.specific.versions == [1, 2]


def test_the_programs_of_the_docs_are_answered(address, grpc_port, capsys):
    page = (_ROOT / "docs/serving.md").read_text(encoding="utf-8")
    programs = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(programs) == 2
    for program in programs:
        program = program.replace("localhost:8500", f"127.0.0.1:{grpc_port}")
        program = program.replace("localhost:8501", address)
        exec(program.replace("mood", "scores"), {})
        assert "'score': " in capsys.readouterr().out


def test_texts_to_fill_have_a_mask(make_bert, tmp_path):
    assert "[MASK]" in curl_line(FillMask(make_bert()), tmp_path / "fill")
    pairs = TextClassifier(make_bert(), labels=["a", "b"])
    pairs.settings["is_pair"] = True
    line = curl_line(pairs, tmp_path / "it's one")
    *_, body, url = shlex.split(line)
    assert sorted(json.loads(body)["inputs"]) == ["text", "text_pair"]
    assert url.endswith("/v1/models/it%27s%20one:predict")


def test_docker_gets_the_folder_under_its_name(tmp_path):
    words = shlex.split(docker_line(tmp_path / "it's one"))
    place = "/models/it's one"
    assert words[:3] == ["docker", "run", "--rm"]
    assert words[words.index("-v") + 1] == f"{tmp_path}/it's one:{place}:ro"
    assert f"--model_config_file={place}/{MODEL_CONFIG}" in words
