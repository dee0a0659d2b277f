"""Examples that need models and files run with tiny random models."""

import doctest
import json
import pathlib
import types

import keras
import numpy as np
import pytest

import keras_bert
from keras_bert.checkpoints import PretrainedModel
from keras_bert.models.families.openai_gpt.config import OpenAIGPTConfig
from keras_bert.text.wordpiece.vocabulary import SPECIAL_TOKENS
from tests import tiny

# docstrings_test.py runs the other examples, its own tests those of `serving`.
_ELSEWHERE = ("layers", "models", "serving")
# The output of these does not depend on weights or large files.
_ROOT = pathlib.Path(__file__).parents[1]
_EXACT = (
    "tasks.compress_vectors",
    "tasks.search",
    "text.BertPreprocessor",
    "text.BertTokenizer",
    "text.split_sentences",
)
_PUBLISHED_IDS = {
    **dict(zip(SPECIAL_TOKENS, (0, 100, 101, 102, 103), strict=True)),
    **{"a": 1037, "its": 2049, "some": 2070, "text": 3793, "pair": 3940},
}
_OTHER_WORDS = (
    "another the function returns of strings sun rises barks leipzig is city "
    "in saxony where fine film bore movie sea ada met charles who was . ?"
).split()


def find_examples():
    finder = doctest.DocTestFinder(exclude_empty=True)
    for package in keras_bert.__all__:
        module = getattr(keras_bert, package)
        if package in _ELSEWHERE or not hasattr(module, "__all__"):
            continue
        for name in module.__all__:
            value = getattr(module, name)
            if isinstance(value, type | types.FunctionType):
                found = finder.find(value, f"{package}.{name}", globs={})
                yield from (example for example in found if example.examples)


_EXAMPLES = {example.name: example for example in find_examples()}


def _tokenizer():
    """Return a tokenizer with the published ids that the examples show."""
    words = {number: word for word, number in _PUBLISHED_IDS.items()}
    words.update(enumerate(_OTHER_WORDS, 200))
    tokens = [words.get(n, f"[unused{n}]") for n in range(max(words) + 1)]
    return keras_bert.text.BertTokenizer(keras_bert.text.Vocabulary(tokens))


def _write_byte_pair(folder):
    text = folder / "text.txt"
    text.write_text("Hello world\n" * 3)
    sources = keras_bert.pretraining.open_sources([str(text)])
    settings, _ = keras_bert.pretraining.learn_byte_pair(sources, 270)
    settings.write(str(folder))


@pytest.fixture(scope="module")
def place(tmp_path_factory, spiece_file):
    """Return a directory with the files that the examples read."""
    keras.utils.set_random_seed(0)
    folder = tmp_path_factory.mktemp("examples")
    tokenizer = _tokenizer()
    config = keras_bert.BertConfig(
        vocab_size=len(tokenizer.vocabulary),
        hidden_size=16,
        num_hidden_layers=4,
        num_attention_heads=2,
        intermediate_size=8,
        max_position_embeddings=64,
    )
    bert = PretrainedModel.from_config(config, tokenizer)
    keras_bert.save_pretrained(bert, folder / "directory")
    gpt = PretrainedModel.from_config(
        OpenAIGPTConfig(config.vocab_size, 64, 16, 2, 2), tokenizer
    )
    keras_bert.save_pretrained(gpt, folder / "gpt1")
    (folder / "vocab.txt").symlink_to(folder / "directory" / "vocab.txt")
    (folder / "spiece.model").symlink_to(spiece_file)
    _write_byte_pair(folder)
    questions = {"1": ("Where?", "Leipzig")}
    data = tiny.squad(("Leipzig is a city.", questions))
    (folder / "train.json").write_text(json.dumps(data))
    for seed in ("seed-1", "seed-2"):
        _classifier(folder).save(str(folder / seed))
    nli = _classifier(folder, ["entailment", "contradiction"])
    nli.save(str(folder / "mnli-model"))
    return folder


def _classifier(folder, labels=("negative", "positive")):
    return keras_bert.TextClassifier.from_pretrained(
        str(folder / "directory"), labels=labels
    )


@pytest.mark.smoke("text", "FillMask", "TextClassifier", "TextEmbedder")
@pytest.mark.parametrize("name", _EXAMPLES)
def test_example_runs(name, place, monkeypatch, run_example):
    is_file_of_docs = name == "tasks.read_columns"
    monkeypatch.chdir(_ROOT if is_file_of_docs else place)
    keras.utils.set_random_seed(0)  # Otherwise a tagger may find nothing.
    example = _EXAMPLES[name]
    example.globs = {"keras_bert": keras_bert, "np": np}
    if name == "tasks.text_model":
        example.globs["classifier"] = _classifier(pathlib.Path())
    if name == "text.BertPreprocessor":
        example.globs["tokenizer"] = keras_bert.text.BertTokenizer("vocab.txt")
    run_example(example, any_answer=name not in _EXACT)


def test_every_task_and_tokenizer_has_an_example():
    assert len([name for name in _EXAMPLES if name.startswith("tasks.")]) >= 11
    assert len([name for name in _EXAMPLES if name.startswith("text.")]) >= 5


@pytest.mark.parametrize(
    "shown, printed, agree",
    [
        ("['positive']\n", "['negative']\n", True),
        ("['positive']\n", "[0.5]\n", False),
        ("(2, 384)\n", "(2, 8)\n", True),
        ("True\n", "False\n", False),
        ("{'score': 0.5}\n", "{'scores': 0.5}\n", False),
        ("<Ragged [[109, 1854]]>\n", "<Ragged [[1, 2, 3]]>\n", True),
        ("<Ragged [[109, 1854]]>\n", "<Dense [[1, 2, 3]]>\n", False),
    ],
)
def test_answers_are_held_to_their_form(run_example, shown, printed, agree):
    source = f"print({printed.strip()!r})\n"
    example = doctest.DocTest(
        [doctest.Example(source, shown)], {}, "example", None, 0, None
    )
    if agree:
        run_example(example, any_answer=True)
    else:
        with pytest.raises(AssertionError, match="Expected"):
            run_example(example, any_answer=True)
