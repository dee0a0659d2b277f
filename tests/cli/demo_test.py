import importlib
import pathlib
import signal
import sys
import time

import pytest

from keras_bert.cli import demo

_NO_PATHS = ("--input_file", "--vocab_size", "--task", "--kind")


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
                assert pathlib.Path(value).is_file()
            elif name not in _NO_PATHS:
                assert value.startswith("out")


def test_what_a_late_stage_lacks_is_told_at_once(monkeypatch):
    demo.check_installed()
    names = ("tokenizers", "no_matplotlib", "no_litert")
    monkeypatch.setattr(demo, "_PACKAGES", names)
    with pytest.raises(
        ModuleNotFoundError,
        match=r"needs no_matplotlib, no_litert. .*bert-tf\[demo\]",
    ):
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


@pytest.fixture
def python(monkeypatch):
    """Let stages run Python code."""
    monkeypatch.setattr(demo, "_CONSOLE", [sys.executable, "-c"])


def test_all_that_a_stage_prints_is_in_its_log(tmp_path, python):
    program = "import sys; print('out'); sys.stdout.flush(); sys.exit('error')"
    with demo.running(["stage", program], tmp_path / "log") as process:
        process.wait()
    assert process.returncode == 1
    assert demo.printed_lines(tmp_path / "log") == ["out", "error"]


def test_a_stage_ends_with_its_context(tmp_path, python):
    program = "import time; print('up', flush=True); time.sleep(60)"
    with pytest.raises(KeyError):
        with demo.running(["stage", program], tmp_path / "log") as process:
            while demo.printed_lines(tmp_path / "log") != ["up"]:
                time.sleep(0.02)
            raise KeyError
    assert process.returncode == -signal.SIGINT
    assert demo.printed_lines(tmp_path / "log")[-1] == "KeyboardInterrupt"
