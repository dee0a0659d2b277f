import pathlib

import pytest

from keras_bert.demo.stages import demo_stages

_REPOSITORY = pathlib.Path(__file__).parents[2]

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


def test_without_text_the_corpus_is_the_documentation():
    stages = demo_stages(_REPOSITORY, pathlib.Path("out"), "")
    assert not [flag for flag in stages[0][1] if "--input_file" in flag]
