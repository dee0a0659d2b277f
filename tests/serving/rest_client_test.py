"""REST, against a server over a socket."""

import json
import socket
import subprocess
import sys

import pytest

from keras_bert.serving import RestClient
from keras_bert.serving import ServerError
from keras_bert.serving import answered_rows
from keras_bert.serving import rest_client

_PAIRS = [
    ("who eats?", "The dög – eats."),
    ("", ""),
    ("what\0\n", 'a "cat" \\ \u2028 😀'),
    ("sees", b"the \xff dog\xe2\x82".decode("utf-8", "surrogateescape")),
]


@pytest.fixture
def make_client(rest_port):
    def make(name, **kwargs):
        return RestClient(name, "127.0.0.1", rest_port, **kwargs)

    return make


def test_answers_are_those_of_the_model(make_client):
    questions, contexts = map(list, zip(*_PAIRS))
    answers = make_client("answers").predict(
        {"question": questions, "context": contexts}
    )
    assert sorted(answers) == ["answer", "end", "score", "start"]
    assert {len(values) for values in answers.values()} == {4}
    for index, context in enumerate(contexts):
        data = context.encode("utf-8", "surrogateescape")
        place = slice(answers["start"][index], answers["end"][index])
        answer = answers["answer"][index]
        assert data[place] == answer.encode("utf-8", "surrogateescape")
    assert any(answers["answer"])


def test_the_only_output_has_its_name(make_client):
    client = make_client("scores")
    assert client.signature("ids").outputs == ("score",)
    ids = {name: [[1]] for name in client.signature("ids").inputs}
    (score,) = client.predict(ids, "ids")["score"]
    assert isinstance(score, float)


def test_no_rows_give_no_rows(make_client):
    assert make_client("scores").predict({"text": []}) == {
        "score": [],
        "truncated": [],
    }


def test_lists_and_ids_are_asked(make_client):
    client = make_client("choices")
    answer = client.predict({"text": ["the"], "choices": [["dog", "cat", ""]]})
    assert len(answer["probabilities"][0]) == 3
    client = make_client("scores")
    score = client.predict({"text": ["the dog"]})["score"][0]
    row = [2, 5, 7, 3]  # [CLS] the dog [SEP]
    names = client.signature("ids").inputs
    ids = {
        "input_ids": row,
        "input_mask": [1, 1, 1, 1],
        "segment_ids": [0, 0, 0, 0],
    }
    answer = client.predict({name: [ids[name]] for name in names}, "ids")
    assert answer["score"][0] == pytest.approx(score, abs=1e-4)


@pytest.mark.parametrize(
    "where, part",
    [
        ({}, "/v1/models/scores:predict"),
        ({"version": 2}, "/v1/models/scores/versions/2:predict"),
        (
            {"version_label": "canary"},
            "/v1/models/scores/labels/canary:predict",
        ),
    ],
)
def test_versions_and_labels_are_asked(make_client, model_server, where, part):
    make_client("scores", **where).predict({"text": ["a"]})
    assert [path for path, _ in model_server.requests][1:] == [part]


def test_rows_are_answered_in_order_and_batches(make_client, model_server):
    texts = ["a dog", "the cat", "", "fish", "a bird sees seeds"]
    client = make_client("scores")
    rows = ((f"line {i}", {"text": text}) for i, text in enumerate(texts))
    answers = [*answered_rows(client, rows, batch_size=2)]
    assert len(model_server.requests) == 1 + 3
    for text, answer in zip(texts, answers, strict=True):
        (alone,) = client.predict({"text": [text]})["score"]
        assert answer["score"] == pytest.approx(alone, abs=1e-5)
        assert answer["truncated"] is False


def test_rows_of_other_lengths_go_apart(make_client, model_server):
    numbers = [2, 2, 3, 2]
    rows = [
        (f"{i}", {"text": "the", "choices": ["dog"] * number})
        for i, number in enumerate(numbers)
    ]
    answers = [*answered_rows(make_client("choices"), rows)]
    assert [len(x["probabilities"]) for x in answers] == numbers
    assert len(model_server.requests) == 1 + 3


@pytest.mark.parametrize(
    "name, inputs, message",
    [
        ("scores", {"txt": ["a"]}, "'serving_default' takes text. Rec.*: txt"),
        ("scores", {}, "takes text. Received: nothing"),
        ("answers", {"context": ["a"]}, "context, question. Received: context"),
        ("scores", {"text": "a"}, "'text' must be a list .*: 'a'"),
        ("scores", {"text": [["a"]]}, r"'text' must be a text .*\['a'\]"),
        ("scores", {"text": [3]}, "'text' must be a text for each row.*: 3"),
        ("scores", {"text": [b"a"]}, "'text' must be a text .*: b'a'"),
        ("scores", {"text": ["\ud83d"]}, r"half a surrogate pair, '\\ud83d'"),
        (
            "answers",
            {"question": ["a"], "context": ["b", "c"]},
            "as many rows. Received: {'question': 1, 'context': 2}",
        ),
        (
            "choices",
            {"text": ["a"], "choices": ["b"]},
            "'choices' must be a list of texts for each row. Received: 'b'",
        ),
        (
            "choices",
            {"text": ["a", "b"], "choices": [["b"], ["c", "d"]]},
            r"'choices' must be of one length. Received: \[\(1,\), \(2,\)\]",
        ),
    ],
)
def test_wrong_inputs_are_told_before_asking(
    make_client, model_server, name, inputs, message
):
    with pytest.raises(ValueError, match=message):
        make_client(name).predict(inputs)
    assert len(model_server.requests) == 1  # What the signature is.


@pytest.mark.parametrize(
    "name, where, message",
    [
        ("moods", {}, "model 'moods': Servable not found .*Latest.moods"),
        ("a/b c", {}, "model 'a/b c': Servable not found|REST port"),
        ("scores", {"version": 7}, "Servable not found for request: 7"),
        ("scores", {"version_label": "blue"}, "version label: blue"),
    ],
)
def test_what_the_server_refuses_is_told_once(
    make_client, model_server, waits, name, where, message
):
    with pytest.raises(ServerError, match=message):
        make_client(name, **where).predict({"text": ["a"]})
    assert (len(model_server.requests), waits) == (1, [])


def test_an_unknown_signature_is_named_with_the_known_ones(make_client):
    with pytest.raises(ServerError, match="ids, serving_default. Rec.*'mood'"):
        make_client("scores").predict({"text": ["a"]}, "mood")


def test_what_the_model_refuses_is_told_with_its_rows(make_client):
    client = make_client("scores")
    ids = {name: [0] * 99 for name in client.signature("ids").inputs}
    rows = [("line 3", ids), ("line 4", ids)]
    with pytest.raises(ServerError, match="(?s)line 3 to line 4: .*refuses"):
        [*answered_rows(client, rows, "ids")]


def test_an_unavailable_server_is_asked_again(make_client, model_server, waits):
    model_server.faults += ["unavailable", "dropped"]
    client = make_client("scores")
    assert client.predict({"text": ["a"]})["score"]
    assert waits == [0.25, 0.5]
    model_server.faults += ["unavailable"] * 9
    with pytest.raises(ServerError, match="not ready: The batch .* is full"):
        client.predict({"text": ["a"]})
    assert waits == [0.25, 0.5, 0.25, 0.5, 1, 2]


@pytest.mark.parametrize(
    "fault, message",
    [
        ("page", "must be the REST port .*HTTP 404, <html> .31mNothing here"),
        ("no_json", "must be the REST port .*HTTP 200, {.outputs.:"),
        ("deep", r"must be the REST port .*\[\[\[\[\.\.\."),
        ("other_object", "must be the REST port .*Received: {'metadata': 3}"),
        ("truncated", "must be whole. Received: 12 bytes, then the conn"),
        ("no_http", "must be the REST port "),
    ],
)
def test_answers_of_no_server_are_told(
    make_client, model_server, waits, fault, message
):
    model_server.faults.append(fault)
    with pytest.raises(ServerError, match=message) as raised:
        make_client("scores").predict({"text": ["a"]})
    assert f"{raised.value}".isprintable()
    assert len(f"{raised.value}") < 700
    assert waits == []


@pytest.mark.parametrize("fault", ["no_json", "other_object"])
def test_faulty_answers_to_texts_are_told(make_client, model_server, fault):
    client = make_client("scores")
    client.signature()
    model_server.faults.append(fault)
    with pytest.raises(ServerError, match="must be the REST port"):
        client.predict({"text": ["a"]})


def test_other_numbers_of_rows_are_told(make_client, model_server):
    client = make_client("scores")
    client.signature()
    model_server.faults.append("too_few")
    with pytest.raises(ServerError, match="give 1 row.* 'score'.*Received: 0"):
        client.predict({"text": ["a"]})


def test_huge_answers_are_not_kept(make_client, model_server, monkeypatch):
    monkeypatch.setattr(rest_client, "MOST_BYTES", 4000)
    model_server.faults.append("huge")
    with pytest.raises(ServerError, match="at most 4000 bytes.*fewer rows"):
        make_client("scores").predict({"text": ["a"]})


@pytest.mark.parametrize("fault", ["slow", "dripping"])
def test_slow_answers_are_not_waited_for(make_client, model_server, fault):
    model_server.faults.append(fault)
    with pytest.raises(ServerError, match="within 0.3 s"):
        make_client("scores", timeout_s=0.3).signature()


def test_no_server_is_told_after_asking_again(waits):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(ServerError, match=f"127.0.0.1:{port}: .*refused.*8501"):
        RestClient("scores", "127.0.0.1", port).signature()
    assert len(waits) == 4


@pytest.mark.parametrize(
    "arguments, message",
    [
        (("m", "http://localhost"), "`host` .*'http://localhost'"),
        (("m", "a b"), "`host` .*'a b'"),
        (("m", ""), "`host` .*''"),
        (("",), "`model_name` must be given"),
        (("m", "localhost", 1, 2, "canary"), "not both. Received: 2, 'canary'"),
        (("m", "localhost", 1, None, None, 0), "`timeout_s` .*: 0"),
        (("m", "localhost", 1, None, None, float("nan")), "`timeout_s` .*nan"),
    ],
)
def test_wrong_arguments_are_errors(arguments, message):
    with pytest.raises(ValueError, match=message):
        RestClient(*arguments)


@pytest.mark.parametrize("host", ["no-such-host.invalid", "a..b"])
def test_a_host_without_address_is_told(host):
    with pytest.raises(ServerError, match=f"(?s){host}"):
        RestClient("scores", host).signature()


def test_rest_needs_neither_tensorflow_nor_numpy(rest_port):
    program = (
        "import sys\n"
        "for name in ('tensorflow', 'keras', 'numpy', 'grpc'):\n"
        "    sys.modules[name] = None\n"
        "import json\n"
        "from keras_bert.serving import RestClient\n"
        f"client = RestClient('scores', '127.0.0.1', {rest_port})\n"
        "print(json.dumps(client.predict({'text': ['a', 'b']})))\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True
    )
    assert len(json.loads(result.stdout)["score"]) == 2, result.stderr
