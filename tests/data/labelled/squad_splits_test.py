import json

import pytest

from keras_bert.data.labelled.squad_splits import squad_splits


@pytest.fixture
def files(tmp_path):
    """A file of 20 contexts with two questions each, and two of one."""

    def write(name, count):
        paragraphs = [
            {
                "context": f"context {name} {n}",
                "qas": [
                    {
                        "id": f"{name} {n} {m}",
                        "question": "q",
                        "answers": [{"text": "context", "answer_start": 0}],
                    }
                    for m in range(2)
                ],
            }
            for n in range(count)
        ]
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps({"data": [{"paragraphs": paragraphs}]}))
        return str(path)

    return write("train", 20), write("dev", 1), write("predict", 1)


def _ids(splits):
    return {
        split: questions[0].id
        for split, questions in {**splits.dev, **splits.test}.items()
    }


def test_what_is_answered_is_chosen_by_unless_there_is_a_dev_file(files):
    train, dev, predict = files
    splits = squad_splits(train, dev, predict, seed=0)
    assert _ids(splits) == {"dev": "dev 0 0", "test": "predict 0 0"}
    splits = squad_splits(train, None, predict, seed=0)
    assert _ids(splits) == {"dev": "predict 0 0"}
    splits = squad_splits(train, dev, None, seed=0)
    assert _ids(splits) == {"dev": "dev 0 0"}
    splits = squad_splits(None, None, predict, seed=0)
    assert splits.train is None
    assert _ids(splits) == {"test": "predict 0 0"}


def test_held_out_questions_share_no_context(files):
    splits = squad_splits(files[0], None, None, seed=0)
    dev = splits.dev["dev"]
    assert (len(splits.train), len(dev)) == (36, 4)
    assert not {q.context for q in dev} & {q.context for q in splits.train}
