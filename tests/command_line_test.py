import os

import pytest
import tensorflow as tf

from keras_bert import command_line


def run(main, capsys, **defaults):
    """Run a program; return the exit code and the last line."""
    with pytest.raises(SystemExit) as stop:
        make_program(**defaults)._run_guarded(main, ["program"])
    return stop.value.code, capsys.readouterr().err.splitlines()[-1]


@pytest.mark.skipif(
    not os.path.exists("/dev/full"), reason="/dev/full stands for a full disk"
)
def test_a_full_disk_is_one_line(capsys):
    def main():
        with tf.io.TFRecordWriter("/dev/full") as writer:
            writer.write(b"record")

    code, line = run(main, capsys)
    assert code == 1
    assert line.startswith("Error: /dev/full; No space left on device")


def test_control_c_is_no_error_and_others_are_shown_whole(capsys):
    def main():
        raise error

    error = KeyboardInterrupt()
    assert run(main, capsys) == (130, "Stopped.")
    error = RuntimeError("a mistake of the program")
    with pytest.raises(RuntimeError, match="a mistake of the program"):
        make_program()._run_guarded(main, ["program"])


def make_program(next_command=None, **defaults):
    """Create a program with flags of the types of the defaults."""
    program = command_line.Program("A test.", next_command)
    kinds = {bool: program.bool, int: program.integer, list: program.list}
    for name, default in defaults.items():
        define = kinds.get(type(default), program.string)
        define(name, default, "Of a test.")
    return program


@pytest.mark.parametrize(
    ("error", "shown"),
    [
        ("`epochs`, epochs=0", "--num_train_epochs, --num_train_epochs=0"),
        ("Pass overwrite=True.", "Pass --overwrite."),
        ("Pass lowercase=False.", "Pass --nodo_lower_case."),
        ("files=['ids', 'text'] or 'x'", "--files=ids,text or 'x'"),
        ("`files`, `labels`, my.files=2", "--files, `labels`, my.files=2"),
        ("Type --files=a, x-files=b", "Type --files=a, x-files=b"),
    ],
)
def test_an_error_names_flags_for_arguments(error, shown, capsys):
    def main():
        raise ValueError(error)

    defaults = {"num_train_epochs": 3, "overwrite": False}
    found = run(main, capsys, do_lower_case=False, files=[], **defaults)
    assert found == (1, f"Error: {shown}")


def test_names_of_python_are_synonyms_of_flags():
    program = make_program(
        num_train_epochs=3, do_lower_case=False, output_dir="a"
    )
    program.parse(["train", "--epochs=5", "--lowercase"])
    assert program.values() == {
        "num_train_epochs": 5,
        "do_lower_case": True,
        "output_dir": "a",
    }


def test_programs_in_one_process_have_their_own_flags():
    programs = [make_program(output_dir=x) for x in ("a", "b")]
    programs[0].parse(["train", "--output_dir=c"])
    programs[1].parse(["export"])
    assert [x.values()["output_dir"] for x in programs] == ["c", "b"]
    programs[0].parse(["train"])
    assert programs[0].values()["output_dir"] == "a"


@pytest.mark.parametrize(
    ("word", "advice"),
    [
        ("--epoch=5", "'epoch'. Did you mean --epochs? --help shows"),
        ("--output_dri=5", "Did you mean --output_dir? --help shows"),
        ("--lr=5", "flag 'lr'. Did you mean --learning_rate? --help"),
        ("--zzz=5", "flag 'zzz'. --help shows the manual."),
    ],
)
def test_a_misspelt_flag_is_answered_by_the_right_one(word, advice):
    program = make_program(
        num_train_epochs=3, output_dir="a", learning_rate="0.1"
    )
    with pytest.raises(SystemExit) as stop:
        program.parse(["train", word])
    assert advice in stop.value.code


@pytest.mark.parametrize(
    ("result", "output_dir", "shown"),
    [
        (None, "my runs", "Result: my runs\nNext: head 'my runs' 'a b'\n"),
        ("x", "my runs", "Result: x\nNext: head x 'a b'\n"),
        (None, None, ""),
    ],
)
def test_a_program_ends_with_its_result_and_what_is_next(
    result, output_dir, shown, capsys
):
    program = make_program(
        "head {result} {files}", output_dir=output_dir, files=["a b"]
    )
    program._run_guarded(lambda: result, ["train"])
    assert capsys.readouterr().err == shown


def test_messages_of_an_import_are_shown_if_it_fails(
    tmp_path, monkeypatch, capfd
):
    monkeypatch.syspath_prepend(tmp_path)
    noise = "import os\nos.write(2, b'noise')\n"
    (tmp_path / "right_module.py").write_text(noise)
    (tmp_path / "wrong_module.py").write_text(noise + "raise OSError")
    command_line.import_quietly("right_module")
    assert capfd.readouterr().err == ""
    with pytest.raises(OSError):
        command_line.import_quietly("wrong_module")
    assert capfd.readouterr().err == "noise"
