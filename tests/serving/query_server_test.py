"""tools/query_server.py as a process, against a server over a socket."""

import json
import re

import pytest

from keras_bert.serving import query as query_url

_TEXT = "--model_name=scores --text=a"
# None of these may be imported.
_WATCH = (
    "import atexit; atexit.register(lambda: {'tensorflow', 'keras', 'numpy'} "
    "& {*sys.modules} and print('imported TensorFlow', file=sys.stderr))"
)


@pytest.fixture
def ask(query, rest_port):
    def ask(*arguments, **kwargs):
        return query(
            "--host=127.0.0.1",
            f"--port={rest_port}",
            *arguments,
            before=_WATCH,
            **kwargs,
        )

    return ask


def _answer(port, text):
    url = f"http://127.0.0.1:{port}/v1/models/scores"
    outputs = query_url(url, {"text": [text]})
    return {
        "score": pytest.approx(outputs["score"][0], abs=1e-5),
        "truncated": outputs["truncated"][0],
    }


def test_bytes_and_choices_are_answered(ask):
    code, answers, error = ask(
        "--model_name=answers",
        "--question=what",
        b"--context=\xff\xfe\xff",
        "--version_label=canary",
    )
    assert (code, error) == (0, "")
    (answer,) = answers
    assert {*answer} == {"answer", "start", "end", "score"}
    code, (answer,), error = ask(
        "--model_name=choices", "--text=the", "--choice=dog", "--choice=cat"
    )
    assert code == 0, error
    assert len(answer["probabilities"]) == 2


def test_files_are_answered_in_batches(ask, rest_port, model_server, tmp_path):
    texts = [f"{'a dog ' * number}." for number in range(7)]
    path = tmp_path / "texts.txt"
    path.write_text("".join(f"{text}\n" for text in texts))
    code, answers, error = ask(
        "--model_name=scores", f"--input_file={path}", "--batch_size=3"
    )
    assert code == 0, error
    assert len(model_server.requests) == 3
    assert answers == [_answer(rest_port, text) for text in texts]


def test_standard_input_is_json_lines(ask, rest_port):
    lines = "".join(json.dumps({"text": x}) + "\n" for x in ("a", "ö"))
    code, answers, error = ask(
        "--model_name=scores", "--input_file=-", input=lines.encode()
    )
    assert code == 0, error
    assert answers == [_answer(rest_port, x) for x in ("a", "ö")]


@pytest.mark.parametrize(
    "name, data, error",
    [
        ("a.csv", 'n,text\n1,"a, ""dog"""\n', None),
        ("a.csv", "text,text_pair\na\n", "line 2, must have 2 field(s)"),
        ("a.jsonl", '{"text": "a"}\n{"text": \n', "line 2, must be a JSON"),
        ("a.xlsx", "text", "must be a .csv, .tsv, .txt"),
    ],
)
def test_tables_are_asked(ask, model_server, tmp_path, name, data, error):
    (tmp_path / name).write_text(data)
    result = ask("--model_name=scores", f"--input_file={tmp_path / name}")
    if error:
        assert result[0] == 1 and error in result[2]
        return
    ((_, body),) = model_server.requests
    assert json.loads(body)["inputs"]["text"] == ['a, "dog"']


def test_what_was_answered_stands_before_an_error(ask, tmp_path):
    path = tmp_path / "texts.jsonl"
    path.write_text('{"text": "a"}\n{"text": 3}\n')
    code, answers, error = ask(
        "--model_name=scores", f"--input_file={path}", "--batch_size=1"
    )
    assert code == 1
    assert len(answers) == 1
    assert "JSON Value: 3 is not of expected type" in error
    assert error.startswith("Error: ") and error.count("\n") == 1


@pytest.mark.parametrize(
    "line, message",
    [
        ("--text=a", "required: --model_name"),
        ("--model_name=scores", "must be given: --input_file, or some"),
        ("--model_name=moods --text=a", "moods.* Servable not found"),
        (f"{_TEXT} --signature=no", "no.* not found in signature def"),
        ("--model_name=answers --text=a", "named input: (question|context)"),
        (f"{_TEXT} --input_file=b.txt", "--input_file or --text"),
        ("--model_name=a --input_file=no.txt", r"'no.txt' \(--input_file\)"),
        (f"{_TEXT} --version=1 --version_label=b", "--version or --version_l"),
        (f"{_TEXT} --batch_size=0", "batch_size"),
        ("--model_name=scores dog", "Unexpected arguments: dog"),
    ],
)
def test_mistakes_are_told_in_a_line(ask, line, message):
    code, answers, error = ask(*line.split())
    assert (code, answers) == (1, [])
    assert error.startswith("Error: ") and error.count("\n") == 1
    assert re.search(message, error), error
