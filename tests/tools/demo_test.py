"""The demo: its stages, and running, removed and protected files."""

import importlib
import os
import pathlib
import sys

import pytest

from keras_bert.cli import demo
from keras_bert.files.manifest import write_manifest

_NO_PATHS = (
    "--dupe_factor",
    "--input_file",
    "--vocab_size",
    "--task",
    "--kind",
)
_SECOND = """
import os, sys, time
os.mkdir(sys.argv[1] + "/bert")
open(sys.argv[1] + "/bert/weights", "w").write("trained")
print("step 25", flush=True)
time.sleep(0.8)
print("It learned.")
"""
# It sends SIGTERM to the demo, which sends SIGINT to the stage.
_STOPPED = """
import os, signal, sys, time
try:
    time.sleep(0.5)  # Until the demo waits for the stage.
    os.kill(os.getppid(), signal.SIGTERM)
    time.sleep(60)
except KeyboardInterrupt:
    open(sys.argv[1] + "/state", "w").write("saved")
    raise
"""


@pytest.fixture
def make(run, tmp_path, monkeypatch):
    """Return a function that runs the demo with cheap stages."""
    monkeypatch.setattr(demo, "_CONSOLE", [sys.executable, "-c"])
    monkeypatch.setattr(demo, "_LINE_SECONDS", 0.4)

    def make(*flags, second=_SECOND):
        def stages(output, input_file):
            first = f"open('{output}/vocab.txt', 'w')"
            return [
                ("One", ["stage", first]),
                ("Two", ["stage", second, str(output)]),
            ]

        monkeypatch.setattr(demo, "demo_stages", stages)
        return run("demo", "--output_dir=out", *flags, folder=tmp_path)

    return make


def _contents(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_a_demo_is_made_anew_only_when_asked(make, tmp_path):
    code, stdout, stderr = make()
    assert code == 0, stderr
    assert "[2/2] Two" in stdout and stdout.endswith("It learned.\n")
    assert " s  step 25\n" in stdout
    before = _contents(tmp_path)
    assert {*before} == {
        *("out/vocab.txt", "out/bert/weights", "out/manifest.json"),
        *("out/logs/1.txt", "out/logs/2.txt"),
    }
    code, _, stderr = make()
    assert code == 1 and "to replace it" in stderr
    assert _contents(tmp_path) == before
    assert make("--overwrite")[0] == 0
    assert {*_contents(tmp_path)} == {*before}


def test_the_files_of_others_stay(make, tmp_path):
    output = tmp_path / "out"
    output.mkdir()
    (output / "weights").write_text("trained")
    files = {"weights": output / "weights"}
    write_manifest(output / "manifest.json", files, {})
    before = _contents(tmp_path)
    code, _, stderr = make("--overwrite")
    assert code == 1
    assert "an output of the same kind. Received: 'out'" in stderr
    assert _contents(tmp_path) == before
    (tmp_path / "text.txt").touch()
    code, _, stderr = make("--input_file=text.txt", "--output_dir=.")
    assert code == 1 and "must not be an input" in stderr


def test_a_signal_ends_the_stage_and_lists_its_files(make, tmp_path):
    code, _, stderr = make(second=_STOPPED)
    assert (code, stderr) == (130, "Stopped.\n")
    assert (tmp_path / "out" / "state").read_text() == "saved"
    assert make("--overwrite")[0] == 0


def test_a_failed_stage_is_shown(make):
    code, _, stderr = make(second="print(1); raise OSError('full')")
    assert code == 1
    assert "OSError: full" in stderr
    assert stderr.endswith("Its output is in out/logs/2.txt.\n")


def test_stages_are_programs_with_files_that_exist():
    stages = demo.demo_stages(pathlib.Path("out"), "text/*.txt")
    assert len(stages) == 9
    assert "--input_file=text/*.txt" in stages[0][1]
    for _, (command, program, *flags) in stages:
        assert command == "keras-bert"
        importlib.import_module(f"keras_bert.cli.{program}")
        for flag in flags:
            name, value = flag.split("=")
            if name in ("--flagfile", "--bert_config_file"):
                assert os.path.isfile(value)
            elif name not in _NO_PATHS:
                assert value.startswith("out")


def test_what_a_late_stage_lacks_is_told_at_once(monkeypatch):
    demo.check_installed()
    names = ("tokenizers", "no_matplotlib", "no_litert")
    monkeypatch.setattr(demo, "_PACKAGES", names)
    message = r"needs no_matplotlib, no_litert. .*bert-tf\[demo\]"
    with pytest.raises(ModuleNotFoundError, match=message):
        demo.check_installed()


def test_terminal_codes_and_prefixes_are_not_shown(tmp_path):
    log = tmp_path / "log"
    log.write_text(
        "WARNING: All log messages before absl\n"
        "I1122 06:09:51.123456 123 loop.py:7] step 1\n"
        "\x1b[1m1/2\x1b[0m\x08\r2/2\n\n"
    )
    assert demo.printed_lines(log) == ["step 1", "1/2", "2/2"]
    log.write_text("")
    assert demo.printed_lines(log) == [""]
