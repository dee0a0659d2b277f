"""A wheel built from the sdist, without the clone."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

from keras_bert.version import VERSION

pytestmark = pytest.mark.large

_ROOT = pathlib.Path(__file__).parents[1]
_SOURCES = (
    "LICENSE README.md keras_bert pyproject.toml setup.cfg setup.py"
).split()


def _run(*command, cwd):
    environment = {
        **os.environ,
        "GITHUB_REPOSITORY": "someone/bert",
        "PYTHONPATH": str(cwd / "site"),
    }
    result = subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout.strip()


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Return a folder with `site`, into which the wheel is installed.

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
    install = ["install", "--no-deps", "--no-build-isolation"]
    _run(*pip, *install, "--target", "site", sdist, cwd=place)
    return place


def test_every_module_config_and_data_file_is_in_it(place):
    for path in (_ROOT / "keras_bert").rglob("*"):
        if path.is_file() and path.suffix != ".pyc":
            carried = place / "site" / path.relative_to(_ROOT)
            assert carried.read_bytes() == path.read_bytes()


def test_its_metadata_link_to_the_repository(place):
    (metadata,) = place.glob("site/keras_bert_tf-*.dist-info")
    assert VERSION in metadata.name
    description = (metadata / "METADATA").read_text(encoding="utf-8")
    source = "https://github.com/someone/bert"
    assert f"Project-URL: Source, {source}\n" in description
    assert f"[serving]({source}/blob/main/docs/serving.md)" in description
    assert f'<img src="{source}/raw/main/docs/' in description
    assert re.findall(r"\]\((?!https:|#)|src=\"docs", description) == []
    (licence,) = metadata.rglob("LICENSE")
    assert "Apache License" in licence.read_text()


def test_programs_run_from_any_directory(place):
    points = [{"step": n, "split": "train", "mlm_loss": 2.0} for n in (1, 2)]
    (place / "metrics.jsonl").write_text("\n".join(map(json.dumps, points)))
    program = place / "site/bin/keras-bert"
    flags = ("--run_dir=.", "--output_file=curve.png")
    _run(program, "plot-training", *flags, cwd=place)
    assert (place / "curve.png").read_bytes().startswith(b"\x89PNG")
    configs = _run(program, "configs", cwd=place)
    assert configs == str(place / "site/keras_bert/configs")
