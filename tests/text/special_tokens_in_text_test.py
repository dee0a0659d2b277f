"""Special tokens in texts beside Hugging Face `tokenizers`, of each kind."""

import dataclasses
import random

import pytest
import tokenizers

from keras_bert.checkpoints.family import find_family
from keras_bert.export.tokenizer_json import write_tokenizer_json
from keras_bert.template import Template
from keras_bert.text.preprocessor import Preprocessor
from keras_bert.text.tokenizer_kinds import KINDS
from keras_bert.text.tokenizer_kinds import kind_of_file

_TEMPLATES = {
    "wordpiece": Template("[CLS] A [SEP]", "[CLS] A [SEP] B [SEP]", "[PAD]"),
    "byte_bpe": Template("<s> A </s>", "<s> A </s> </s> B </s>", "<pad>"),
    "sentencepiece": Template(
        "[CLS] A [SEP]", "[CLS] A [SEP] B [SEP]", "<pad>"
    ),
}
# Read with the special tokens of each kind in place of M, S and P.
_TEXTS = (
    *("M", "S", "M word1", "word1 M", "word1M", "Mword1", "wMord1"),
    *("MM", "M M", "MSP", " M ", "\tM\u3000M\n", "word1  M  word2", "MM."),
    *("S.", "M,", "(M)", "'M'", "[M]", "<M>", "M\u0301", "\u0301M", "éMé"),
    "😀M😀P<SM",
)
_PARTS = (
    "M",
    "S",
    "P",
    "word1",
    "w",
    " ",
    "  ",
    "\n",
    "é",
    "😀",
    ".",
    "[",
    "<",
)


def _texts(vocabulary):
    choose = random.Random(7)
    texts = [
        *_TEXTS,
        *(
            "".join(choose.choices(_PARTS, k=choose.randint(2, 9)))
            for _ in range(300)
        ),
    ]
    roles = {"M": "mask", "S": "sep", "P": "pad"}
    tokens = {ord(x): vocabulary.roles[role] for x, role in roles.items()}
    mask = vocabulary.roles["mask"]
    near = (mask.swapcase(), mask.title(), mask[:-1], mask[1:], f" {mask[:2]}")
    return [text.translate(tokens) for text in texts] + [*near]


@pytest.fixture(params=_TEMPLATES)
def settings(request, make_settings):
    return dataclasses.replace(
        make_settings(request.param), special_tokens_in_text=True
    )


@pytest.mark.parametrize("change", [{}, {"lowercase": False}])
def test_ids_are_those_of_tokenizers(settings, change, in_tf_data, tmp_path):
    if change and settings.kind == "byte_bpe":
        change = {"add_prefix_space": False}
    if change and settings.kind == "wordpiece":
        change = {**change, "strip_accents": False}
    settings = dataclasses.replace(settings, **change)
    tokenizer = settings.tokenizer()
    preprocess = Preprocessor(tokenizer, _TEMPLATES[settings.kind], 64)
    write_tokenizer_json(preprocess, tmp_path / "tokenizer.json")
    peer = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    peer.no_padding()
    texts = _texts(settings.vocabulary)
    ours = tokenizer(texts).to_list()
    assert in_tf_data(tokenizer, texts).to_list() == ours
    assert tokenizer.tokenize_with_offsets(texts)[0].to_list() == ours
    theirs = peer.encode_batch(texts, add_special_tokens=False)
    wrong = [
        (text, ids, encoding.tokens)
        for text, ids, encoding in zip(texts, ours, theirs, strict=True)
        if ids != encoding.ids
    ]
    assert not wrong
    mask = settings.vocabulary.id_of(settings.vocabulary.roles["mask"])
    assert sum(ids.count(mask) for ids in ours) > 100
    plain = dataclasses.replace(settings, special_tokens_in_text=False)
    assert not any(mask in ids for ids in plain.tokenizer()(texts).to_list())


@pytest.mark.parametrize(
    "model_type",
    ["albert", "bert", "deberta", "deberta-v2", "mpnet", "openai-gpt"]
    + ["roberta", "xlm-roberta"],
)
def test_typed_special_tokens_stay_text_in_tokenizers(
    model_type, make_settings_of, tmp_path
):
    settings = make_settings_of(model_type)
    template = find_family(model_type).template
    preprocess = Preprocessor(settings.tokenizer(), template, 64)
    write_tokenizer_json(preprocess, tmp_path / "tokenizer.json")
    peer = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    typed = settings.vocabulary.roles.values()
    texts = [*typed, *(f"word1 {x}word2{x} {x}" for x in typed), "word3"]
    ours = preprocess(texts)
    theirs = peer.encode_batch(texts)
    ids = [encoding.ids for encoding in theirs]
    mask = [encoding.attention_mask for encoding in theirs]
    width = len(ids[0])
    assert ours["input_ids"].numpy()[:, :width].tolist() == ids
    assert ours["input_mask"].numpy()[:, :width].tolist() == mask
    special = {settings.vocabulary.id_of(token) for token in typed}
    special.discard(settings.vocabulary.unk_id)
    peer.no_padding()
    plain = peer.encode_batch(texts, add_special_tokens=False)
    assert not any(special & {*encoding.ids} for encoding in plain)


def test_it_is_saved_and_a_corpus_stays_plain(settings, tmp_path):
    kind = KINDS[settings.kind]
    settings.save(tmp_path)
    assert kind.read(tmp_path, 200).special_tokens_in_text is True
    assert kind.unpacked(kind.packed(settings)).special_tokens_in_text is True
    path = tmp_path / kind.files[0]
    casing = kind_of_file(path).casing(path, {}, default=True)
    of_corpus = kind_of_file(path).settings(path, casing)
    assert of_corpus.special_tokens_in_text is False


def test_what_is_no_bool_is_an_error(settings):
    with pytest.raises(ValueError, match="True or False. Received: spec.*'no'"):
        dataclasses.replace(settings, special_tokens_in_text="no")
