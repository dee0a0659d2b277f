import pathlib
import signal
import time

import pytest

from keras_bert.cli.demo.stages import check_installed
from keras_bert.cli.demo.stages import demo_stages
from keras_bert.cli.demo.stages import printed_lines
from keras_bert.cli.demo.stages import running

_REPOSITORY = pathlib.Path(__file__).parents[3]

_NO_PATHS = ("--input_file", "--vocab_size", "--task", "--kind")


@pytest.mark.parametrize("folder", [_REPOSITORY, pathlib.Path("/")])
def test_stages_can_be_typed_where_the_demo_runs(folder, monkeypatch):
    monkeypatch.chdir(folder)
    stages = demo_stages(_REPOSITORY, pathlib.Path("out"), "text/*.txt")
    assert len(stages) == 9
    assert "--input_file=text/*.txt" in stages[0][1]
    for _, (program, *flags) in stages:
        assert (folder / program).is_file()
        for flag in flags:
            name, value = flag.split("=")
            if name in ("--flagfile", "--bert_config_file"):
                assert (folder / value).is_file()
            elif name not in _NO_PATHS:
                assert value.startswith("out")


def test_what_a_late_stage_lacks_is_told_at_once(monkeypatch):
    check_installed()
    names = ("tokenizers", "no_matplotlib", "no_litert")
    monkeypatch.setattr("keras_bert.cli.demo.stages._PACKAGES", names)
    with pytest.raises(
        ModuleNotFoundError,
        match=r"needs no_matplotlib, no_litert. .*bert-tf\[demo\]",
    ):
        check_installed()


def test_terminal_codes_and_prefixes_are_not_shown(tmp_path):
    log = tmp_path / "log"
    log.write_text(
        "WARNING: All log messages before absl\n"
        "I1122 06:09:51.123456 123 loop.py:7] step 1\n"
        "\x1b[1m1/2\x1b[0m\x08\r2/2\n\n"
    )
    assert printed_lines(log) == ["step 1", "1/2", "2/2"]
    log.write_text("")
    assert printed_lines(log) == [""]


def test_all_that_a_stage_prints_is_in_its_log(tmp_path):
    program = "import sys; print('out'); sys.stdout.flush(); sys.exit('error')"
    with running(["-c", program], tmp_path / "log") as process:
        process.wait()
    assert process.returncode == 1
    assert printed_lines(tmp_path / "log") == ["out", "error"]


def test_a_stage_ends_with_its_context(tmp_path):
    program = "import time; print('up', flush=True); time.sleep(60)"
    with pytest.raises(KeyError):
        with running(["-c", program], tmp_path / "log") as process:
            while printed_lines(tmp_path / "log") != ["up"]:
                time.sleep(0.02)
            raise KeyError
    assert process.returncode == -signal.SIGINT
    assert printed_lines(tmp_path / "log")[-1] == "KeyboardInterrupt"
