import collections
import json
import os
import pathlib
import re

import numpy as np
import pytest

from keras_bert.files.outputs import new_file
from keras_bert.pretraining import TextOptions
from keras_bert.pretraining import create_data
from keras_bert.pretraining import open_sources
from keras_bert.pretraining.corpus import chunk_writer
from keras_bert.pretraining.corpus import text_files
from keras_bert.pretraining.records import shards
from keras_bert.pretraining.records import tokenize_and_write
from keras_bert.pretraining.records.masking_rules import MaskingRules
from keras_bert.text.wordpiece.vocabulary import SPECIAL_TOKENS
from tests.pretraining.records.created import make_options
from tests.pretraining.records.created import parts_of
from tests.pretraining.records.created import read_examples
from tests.pretraining.records.created import restored_ids


@pytest.fixture
def corpus_file(make_documents, write_documents):
    return write_documents("text.txt", make_documents(1, 30))


@pytest.fixture
def create(corpus_file, vocab_file, tmp_path):
    """Return a function that runs the tool; returns record paths and counts."""

    def create(
        options,
        *names,
        path=corpus_file,
        vocab_file=vocab_file,
        text=None,
        **arguments,
    ):
        paths = [str(tmp_path / name) for name in names]
        counts = create_data(
            open_sources([str(path)]),
            paths,
            TextOptions(str(vocab_file), **(text or {})),
            options,
            **arguments,
        )
        return paths, counts

    return create


def _bytes(paths):
    return [pathlib.Path(path).read_bytes() for path in paths]


@pytest.fixture
def warnings(caplog):
    """Return a function that returns the warnings so far."""
    caplog.set_level("WARNING")
    return lambda: caplog.messages


def test_passes_are_shuffled_and_mask_anew(create, write_documents, vocabulary):
    words = vocabulary.tokens[5:25]
    documents = [[f"{word} sees a new red house"] for word in words]
    path = write_documents("text.txt", documents)
    options = make_options(dupe_factor=5, short_seq_prob=0.0)
    (records,), _ = create(options, "a", path=path)
    masks = collections.defaultdict(list)
    for example in read_examples(records):
        first = int(parts_of(example)[0][0])
        masks[first].append(tuple(example["masked_lm_positions"]))
    assert [*masks] != sorted(masks) == [*range(5, 25)]
    for of_the_passes in masks.values():
        assert len(of_the_passes) == 5 and len({*of_the_passes}) > 1


@pytest.mark.parametrize(
    ("changes", "received"),
    [
        ({"max_predictions_per_seq": 22}, "=22, max_seq_length=24"),
        ({"max_predictions_per_seq": 0}, "=0, max_seq_length=24"),
        ({"masked_lm_prob": 0.0}, "masked_lm_prob=0.0"),
        ({"masked_lm_prob": 1.0}, "masked_lm_prob=1.0"),
        ({"ngram": 0}, "ngram=0"),
        ({"ngram": 11}, "ngram=11"),
        ({"short_seq_prob": 1.1}, "short_seq_prob=1.1"),
        ({"dupe_factor": 1001}, "dupe_factor=1001"),
        ({"max_seq_length": 16385}, "max_seq_length=16385"),
        ({"random_seed": -1}, "random_seed=-1"),
        ({"packing": "pairs"}, "pairs"),
        ({"packing": "best_fit"}, "masking='static'"),
        ({"masking": "none"}, "masking='none'"),
        ({"masking": "dynamic", "ngram": 3}, "ngram=3"),
        ({"masking": "dynamic", "do_whole_word_mask": True}, "mask=True"),
    ],
)
def test_an_impossible_option_is_an_error(changes, received):
    with pytest.raises(ValueError, match=f"Received: .*{received}"):
        make_options(**changes)


def test_bad_input_leaves_existing_records_alone(create, corpus_file, tmp_path):
    paths, _ = create(make_options(), "a", "b")
    before = _bytes(paths)
    with open(corpus_file, "ab") as file:
        file.write(b"\n\nbad \xff\n")
    with pytest.raises(ValueError, match="0xff at offset"):
        create(make_options(), "a", "b", overwrite=True)
    assert _bytes(paths) == before
    names = {"a", "b", "manifest-a.json", "text.txt"}
    assert {*os.listdir(tmp_path)} == names


def test_counts_are_those_of_the_records(create, tokenizer, make_documents):
    paths, counts = create(make_options(), *"abc")
    examples = [example for path in paths for example in read_examples(path)]
    documents = make_documents(1, 30)
    assert counts["documents"] == 30
    assert counts["sentences"] == sum(map(len, documents))
    assert counts["tokens"] == sum(
        len(ids) for d in documents for ids in tokenizer(d).to_list()
    )
    assert counts["examples"] == len(examples)
    for count, name in (
        ("random_next", "next_sentence_labels"),
        ("predictions", "masked_lm_weights"),
        ("example_tokens", "input_mask"),
    ):
        assert counts[count] == sum(int(x[name].sum()) for x in examples)
    kept = sum(
        sum(
            map(
                len, parts_of(example)[: 2 - example["next_sentence_labels"][0]]
            )
        )
        for example in examples
    )
    assert counts["cut_tokens"] == 2 * counts["tokens"] - kept


def test_labels_put_back_give_the_whole_text(
    create, tokenizer, make_documents, monkeypatch
):
    monkeypatch.setattr(shards, "_BLOCK_TOKENS", 50)
    monkeypatch.setattr(shards, "_WINDOW_BLOCKS", 3)
    monkeypatch.setattr(shards, "_BATCH_EXAMPLES", 5)
    # Long enough to avoid truncation, so that each pass uses each token once.
    options = make_options(max_seq_length=200, short_seq_prob=0.0)
    paths, counts = create(options, "a", "b")
    documents = [
        [ids for sentence in tokenizer(document).to_list() for ids in sentence]
        for document in make_documents(1, 30)
    ]
    text = "\n".join(" ".join(map(str, document)) for document in documents)
    used = collections.Counter()
    for path in paths:
        for example in read_examples(path):
            first, second = parts_of(example)
            is_random = example["next_sentence_labels"][0]
            parts = [[*first], [*second]] if is_random else [[*first, *second]]
            for part in parts:
                assert " ".join(map(str, part)) in text
            used.update(map(int, parts[0]))
    assert used == collections.Counter(sum(documents, []) * 2)
    assert counts["tokens"] == len(sum(documents, []))


def test_the_options_reach_the_masking(create, monkeypatch, vocabulary):
    seen = []

    def rules(*args):
        seen.append(args)
        return MaskingRules(*args)

    monkeypatch.setattr(shards, "MaskingRules", rules)
    options = make_options(
        masked_lm_prob=0.4, max_predictions_per_seq=9, ngram=2
    )
    create(options, "a")
    assert seen == [(0.4, 9, vocabulary.id_of("[MASK]"), 27, 2)]


@pytest.mark.parametrize("last", [["a cat"], ["a cat"] * 1000])
def test_no_file_is_without_an_example(create, write_documents, last):
    path = write_documents("text.txt", [["a dog", "a cat"]] * 9 + [last])
    options = make_options(  # The shortest sequences.
        dupe_factor=1, max_seq_length=5, max_predictions_per_seq=2
    )
    names = [f"{n}" for n in range(10)]  # As many as documents.
    paths, counts = create(options, *names, path=path)
    assert counts["example_tokens"] == 5 * counts["examples"]
    sizes = [len(read_examples(path)) for path in paths]
    assert min(sizes) > 0
    assert sum(sizes) == counts["examples"]


_FULL = ["a dog sees a cat"] * 90


@pytest.mark.parametrize(
    ("documents", "options", "words"),
    [
        (
            [["xyz the dog sees"], ["a cat"]],
            {},
            "16.7 % of the tokens are unknown.*`do_lower_case`",
        ),
        (
            [_FULL, ["the cat"]],
            {"do_whole_word_mask": True},
            "no effect: 0.00 %.*`segmented_words`",
        ),
        (
            [["a dog sees a cat " * 20] * 4] * 4,
            {},
            "cut off.*of 24 tokens.*`split_sentences`, or",
        ),
        (
            [["a dog"], ["the cat"], ["a bird"]],
            {},
            "100.0 % of the second sentences are random.*objective='mlm'",
        ),
        ([_FULL] * 9, {}, None),
    ],
)
def test_text_that_does_not_suit_is_warned_of(
    create, write_documents, warnings, documents, options, words
):
    path = write_documents("text.txt", documents)
    create(make_options(**options), "a", path=path)
    found = [w for w in warnings() if words and re.search(words, w)]
    assert len(found) == 1 if words else not warnings()


@pytest.mark.parametrize(
    ("content", "names", "words"),
    [
        ("a dog\na cat\n", "a", r"1 document in .*text\.txt"),
        ("\u200b\n\n\u200b", "a", r"1 file.*without words.*text\.txt"),
        ("a dog\n\na cat\n", "abcde", "more files than.*: 5 output files"),
        (None, [], "must not be empty"),
        (None, ["a", "b", "c/../a"], "must be different files in one"),
        (None, ["a", "c/b"], "must be different files in one.*/c/b"),
        (None, ["a", "text.txt"], "must not be an input.*text.txt"),
        (None, ["vocab.txt"], "must not be an input.*vocab.txt"),
        (None, ["a", "x.txt"], "must not be an input.*x.txt"),
        (None, ["a"], "`lexicon_file` requires .*'.*x.txt'"),
    ],
)
def test_what_cannot_be_made_is_an_error_and_leaves_nothing(
    create, vocab_file, tmp_path, content, names, words
):
    path = tmp_path / "text.txt"
    text = {"lexicon_file": str(tmp_path / "x.txt")}
    if content is not None:
        path.write_text(content, encoding="utf-8")
        text = {}
    before = {*os.listdir(tmp_path)}
    names = [vocab_file if name == "vocab.txt" else name for name in names]
    for overwrite in (False, True):
        with pytest.raises(ValueError, match=words):
            create(make_options(), *names, text=text, overwrite=overwrite)
    assert {*os.listdir(tmp_path)} == before


@pytest.fixture
def chinese(tmp_path):
    """Write a vocabulary; return texts of words of two characters, and it."""
    rng = np.random.default_rng(1)
    # A character occurs at one position of one word only.
    characters = [chr(0x4E00 + number) for number in range(60)]
    words = [a + b for a, b in zip(characters[::2], characters[1::2])]
    documents = [
        "\n".join(" ".join(rng.choice(words, 6)) for _ in range(5))
        for _ in range(20)
    ]
    vocab = tmp_path / "vocab.txt"
    vocab.write_text("\n".join([*SPECIAL_TOKENS, *characters]), "utf-8")
    return "\n\n".join(documents), vocab


@pytest.mark.parametrize(
    ("words_from", "masking"),
    [("spaces", "static"), ("lexicon", "static"), ("lexicon", "dynamic")],
)
def test_characters_of_a_word_are_masked_together(
    create, chinese, tmp_path, warnings, words_from, masking
):
    text, vocab_file = chinese
    words = sorted({*text.split()})
    path, lexicon = tmp_path / "words.txt", tmp_path / "lexicon.txt"
    lexicon.write_text("\n".join([*words, "不 在"]), "utf-8")
    options = {"segmented_words": True}
    path.write_text(text, "utf-8")
    if words_from == "lexicon":
        options = {"lexicon_file": str(lexicon)}
        path.write_text(text.replace(" ", ""), "utf-8")
    is_static = masking == "static"
    (records,), counts = create(
        make_options(
            do_whole_word_mask=is_static, max_seq_length=40, masking=masking
        ),
        "a",
        path=path,
        vocab_file=vocab_file,
        text=options,
    )
    assert counts["continuations"] == counts["tokens"] - len(text.split())
    told = [w for w in warnings() if "not occur in the text" in w]
    assert len(told) == (words_from == "lexicon")
    assert all(f"text: line {len(words) + 1} ('不 在')." in w for w in told)
    num_together = 0
    for example in read_examples(records):
        ids = restored_ids(example) if is_static else example["input_ids"]
        second = np.flatnonzero((ids >= 5) & (ids % 2 == 0))
        second = second[ids[second - 1] >= 5]  # Both characters are there.
        joined = np.zeros(len(ids), bool)
        if is_static:
            joined[example["masked_lm_positions"]] = True
            assert (joined[second] == joined[second - 1]).all()
        else:
            joined = example["word_starts"] == 0
            assert joined[second].all()
        num_together += joined[second].sum()
    assert num_together > 10
    manifest = json.loads((tmp_path / "manifest-a.json").read_text())
    digest = manifest["settings"]["text"].get("lexicon", "")
    assert len(digest) == 64 * (words_from == "lexicon")


@pytest.mark.parametrize("segmented_words", [False, True])
def test_bytes_do_not_depend_on_the_chunks_and_the_tokenizer(
    create, monkeypatch, segmented_words
):
    options = make_options(do_whole_word_mask=True)
    text = {"segmented_words": segmented_words}
    expected, counts = create(options, "a", text=text)
    monkeypatch.setattr(text_files, "CHUNK_BYTES", 100)
    monkeypatch.setattr(chunk_writer, "_BATCH_BYTES", 7)
    chunked = create(options, "b", text=text)
    monkeypatch.setattr(tokenize_and_write, "_MAX_HOST_BYTES", -1)
    tokenized = create(options, "c", text=text)
    for records, same_counts in (chunked, tokenized):
        assert _bytes(records) == _bytes(expected)
        assert same_counts == counts


def test_casing_is_that_of_the_vocabulary(vocab_file, vocabulary, tmp_path):
    cased = tmp_path / "cased" / "vocab.txt"
    cased.parent.mkdir()
    with new_file(cased, {"do_lower_case": False}) as name:
        vocabulary.save(name)
    assert TextOptions(str(cased)).resolved().do_lower_case is False
    assert TextOptions(vocab_file).resolved().do_lower_case is True
    tokens = TextOptions(str(cased)).make_tokenizer()(["Dog"]).to_list()
    assert tokens == [[vocabulary.unk_id]]
    with pytest.raises(
        ValueError, match="`do_lower_case` says true, .*manifest-.*says false"
    ):
        TextOptions(str(cased), do_lower_case=True).resolved()


def test_bad_lines_are_counted_over_all_chunks(
    create, monkeypatch, tmp_path, warnings
):
    monkeypatch.setattr(text_files, "CHUNK_BYTES", 100)
    path = tmp_path / "a.jsonl"
    good = ['{"text": "a dog sees\\na cat"}'] * 30
    path.write_text("\n".join(f"{line}\n[1]" for line in good))
    text = {"on_bad_line": "skip"}
    records, counts = create(make_options(), "a", path=path, text=text)
    assert (counts["bad_lines"], counts["documents"]) == (30, 30)
    manifest = json.loads((tmp_path / "manifest-a.json").read_text())
    assert manifest["settings"]["text"]["on_bad_line"] == "skip"
    listed = zip((2, 4, 6, 8, 10), manifest["bad_lines"], strict=True)
    assert all(f"line {number}," in message for number, message in listed)
    (warning,) = [w for w in warnings() if "bad line" in w]
    assert "30 bad line(s)" in warning and f"{path}, line 2," in warning
    path.write_text("\n".join(good))
    clean, _ = create(make_options(), "b", path=path)
    assert _bytes(records) == _bytes(clean)
