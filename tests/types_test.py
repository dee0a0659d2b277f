"""Type checkers find the package, and the mistakes of users."""

import pathlib
import subprocess
import sys
import zipfile

import pytest

_ROOT = pathlib.Path(__file__).parents[1]


def test_an_editable_install_is_a_plain_path(tmp_path):
    # Type checkers do not follow import hooks.
    build = "import sys; from setuptools.build_meta import build_editable as b"
    subprocess.run(
        [sys.executable, "-c", f"{build}; b(sys.argv[1])", str(tmp_path)],
        cwd=_ROOT,
        check=True,
        capture_output=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as file:
        names = [x for x in file.namelist() if "dist-info" not in x]
        (name,) = names
        assert name.endswith(".pth")
        assert file.read(name).decode().split() == [str(_ROOT)]


@pytest.mark.large
def test_scripts_of_users_have_the_right_types():
    result = subprocess.run(
        [sys.executable, "-m", "mypy", "tests/typing"],
        cwd=_ROOT,
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stdout
