"""A wheel built from the sdist, without the clone."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig

import pytest

from keras_bert.version import VERSION

pytestmark = pytest.mark.large

_ROOT = pathlib.Path(__file__).parents[1]
_SOURCES = (
    "LICENSE README.md keras_bert pyproject.toml setup.cfg setup.py"
).split()


def _run(*command, cwd):
    environment = {**os.environ, "GITHUB_REPOSITORY": "someone/bert"}
    environment.pop("PYTHONPATH", None)
    result = subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout.strip()


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Return a folder with `venv`, an environment with the wheel.

    All other packages come from the environment of the tests.
    """
    place = tmp_path_factory.mktemp("wheel")
    clone = place / "clone"  # A build writes folders into its source directory.
    clone.mkdir()
    for name in _SOURCES:
        copy = shutil.copytree if (_ROOT / name).is_dir() else shutil.copy
        copy(_ROOT / name, clone / name)
    pip = [sys.executable, "-m", "pip", "--quiet"]
    # Like `python -m build`: the wheel is built from the sdist.
    hook = "from setuptools import build_meta as b; b.build_sdist('..')"
    _run(sys.executable, "-c", hook, cwd=clone)
    shutil.rmtree(clone)
    (sdist,) = place.glob("*.tar.gz")
    build = ["wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", "."]
    _run(*pip, *build, sdist, cwd=place)
    _run(sys.executable, "-m", "venv", "--without-pip", "venv", cwd=place)
    (wheel,) = place.glob("*.whl")
    python = place / "venv/bin/python"
    install = ["--python", python, "install", "--no-deps", wheel]
    _run(*pip, *install, cwd=place)
    paths = {sysconfig.get_path(name) for name in ("purelib", "platlib")}
    (packages,) = place.glob("venv/lib/python*/site-packages")
    # Found after the wheel, so that an editable install is not used.
    (packages / "outer.pth").write_text("\n".join(sorted(paths)) + "\n")
    return place


def test_the_library_the_configs_and_the_version_are_in_it(place):
    program = (
        "import keras_bert\n"
        "path = keras_bert.CONFIGS / 'bert_tiny.json'\n"
        "config = keras_bert.BertConfig.from_json(path)\n"
        "print(keras_bert.__version__, keras_bert.__file__)\n"
        "print(config.hidden_size, path)\n"
    )
    printed = _run("venv/bin/python", "-c", program, cwd=place)
    version, file, size, path = printed.split()
    (package,) = place.glob("venv/lib/python*/site-packages/keras_bert")
    assert (version, file) == (VERSION, str(package / "__init__.py"))
    assert (size, path) == ("128", str(package / "configs/bert_tiny.json"))
    assert (package / "py.typed").is_file()
    assert (package / "tasks/__init__.pyi").is_file()
    (metadata,) = package.parent.glob("keras_bert_tf-*.dist-info")
    assert VERSION in metadata.name
    description = (metadata / "METADATA").read_text(encoding="utf-8")
    source = "https://github.com/someone/bert"
    assert f"Project-URL: Source, {source}\n" in description
    assert f"[serving]({source}/blob/main/docs/serving.md)" in description
    assert f'<img src="{source}/raw/main/docs/' in description
    assert re.findall(r"\]\((?!https:|#)|src=\"docs", description) == []
    (licence,) = metadata.rglob("LICENSE")
    assert "Apache License" in licence.read_text()


def test_every_module_config_and_data_file_is_in_it(place):
    (package,) = place.glob("venv/lib/python*/site-packages/keras_bert")
    for path in (_ROOT / "keras_bert").rglob("*"):
        if path.is_file() and path.suffix != ".pyc":
            carried = package / path.relative_to(_ROOT / "keras_bert")
            assert carried.read_bytes() == path.read_bytes()


def test_programs_run_from_any_directory(place):
    (place / "run").mkdir()
    points = [{"step": n, "split": "train", "mlm_loss": 2.0} for n in (1, 2)]
    (place / "run/metrics.jsonl").write_text("\n".join(map(json.dumps, points)))
    program = "venv/bin/keras-bert"
    _run(
        program,
        "plot-training",
        "--run_dir=run",
        "--output_file=curve.png",
        cwd=place,
    )
    assert (place / "curve.png").read_bytes().startswith(b"\x89PNG")
    assert "    list " in _run(program, "try", cwd=place)
    configs = _run(program, "configs", cwd=place)
    assert pathlib.Path(configs, "demo_data.flags").is_file()
