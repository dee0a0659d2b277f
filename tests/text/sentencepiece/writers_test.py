"""Directories as transformers 4 and 5 write them for XLNet and ALBERT."""

import json
import unicodedata

import pytest
import sentencepiece
import tokenizers

from keras_bert.text.host_tokenizer import HostTokenizer
from keras_bert.text.sentencepiece.conventions import conventions_of_tokens
from keras_bert.text.sentencepiece.model import NORMAL
from keras_bert.text.sentencepiece.model import Piece
from keras_bert.text.sentencepiece.model import SentencePieceModel
from keras_bert.text.sentencepiece.settings import SentencePieceSettings
from keras_bert.text.sentencepiece.vocabulary import SentencePieceVocabulary
from keras_bert.text.tokenizer_settings import identifying_settings
from tests.text.sentencepiece.trained import LINES
from tests.text.sentencepiece.trained import train

_TEXTS = [
    *LINES,
    *("", " ", "  the  fox ", "the\tfox\n", "the´", "x 9, ", "(the) fox ."),
    *("``quick'' ''' `` `", "`\u0301`the", "＇＇ ｀｀", "cafe\u0301 É İ ﬁ ①"),
    *("1900, 10, 19, 9,9 ,9, 99, 3,141, 9,,", "x9,y 1900,x ²,", "9,"),
    *("한국어 \u1112\u1161\u11ab", "😀 the 😀😀", "\x00\x7f\u200b a"),
]
_SPECIAL = ["the <mask> fox.", "[MASK]", "<s> a</s>b", "<eop><eod> <sep>"]
# More pieces that end in a digit and a comma; "00" is no piece.
_NUMBERS = {"▁1900,": -6.0, "9,": -6.5, "▁10,": -6.1, "00,": -7.0, "0,": -7.5}


@pytest.fixture(scope="module", params=["XLNetTokenizer", "AlbertTokenizer"])
def name(request):
    return request.param


@pytest.fixture(scope="module")
def data(name, tmp_path_factory):
    """Return the bytes of a model with numbers and user-defined symbols."""
    # The default rules have thousands of rows: the tables would take seconds.
    rules = tmp_path_factory.mktemp("rules") / "rules.tsv"
    rules.write_text("9\t20\nA\t20\n200B\t20\nFB01\t66 69\n")
    ours = SentencePieceModel(train(name, normalization_rule_tsv=str(rules)))
    known = {piece.text for piece in ours.pieces}
    new = [Piece(t, x, NORMAL) for t, x in _NUMBERS.items() if t not in known]
    return _with_pieces(ours, [*ours.pieces, *new])


def _with_pieces(model, pieces):
    message = model._message
    del message.pieces[:]
    for text, score, kind in pieces:
        message.pieces.add(piece=text, score=score, type=kind)
    message.trainer.vocab_size = len(pieces)
    return message.SerializeToString()


def _original(processor, text, lowercase):
    """Tokenize as the slow tokenizers of transformers and zihangdai/xlnet."""
    text = " ".join(text.strip().split())
    text = unicodedata.normalize(
        "NFKD", text.replace("``", '"').replace("''", '"')
    )
    text = "".join(c for c in text if not unicodedata.combining(c))
    found = []
    for piece in processor.EncodeAsPieces(text.lower() if lowercase else text):
        if piece[-1] == "," and len(piece) > 1 and piece[-2].isdigit():
            parts = processor.EncodeAsPieces(piece[:-1].replace("▁", ""))
            if piece[0] != "▁" and parts[0][0] == "▁":
                parts = [parts[0][1:], *parts[1:]]
            found += [*filter(None, parts), ","]
        else:
            found.append(piece)
    return [processor.PieceToId(piece) for piece in found]


def _ids(rows):
    return [[int(index) for index in row] for row in rows]


def _check(settings, texts, expected):
    """Compare the ids in the graph and on the host."""
    tokenizer, host = settings.make(), HostTokenizer(settings)
    assert _ids(tokenizer(texts).to_list()) == expected
    assert _ids(host(texts)) == expected
    ours = tokenizer.tokenize_with_offsets(texts)
    theirs = host.tokenize_with_offsets(texts)
    assert _ids(ours[0].to_list()) == expected == _ids(theirs[0])
    for text, starts, ends in zip(texts, *(x.to_list() for x in ours[1:])):
        for start, end in zip(starts, ends, strict=True):
            assert start < end
            assert text.encode()[start:end].decode()


def test_a_slow_directory_has_the_original_rules(name, data, tmp_path):
    (tmp_path / "spiece.model").write_bytes(data)
    config = {"tokenizer_class": name, "bos_token": "<s>", "eos_token": "</s>"}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    settings = SentencePieceSettings.read(tmp_path)
    lowercase = name == "AlbertTokenizer"
    assert settings.lowercase is lowercase
    processor = sentencepiece.SentencePieceProcessor(model_proto=data)
    expected = [_original(processor, text, lowercase) for text in _TEXTS]
    split = processor.PieceToId("▁1900,")
    assert split not in {index for row in expected for index in row}
    assert split in processor.encode("1900,")
    _check(settings, _TEXTS, expected)
    settings.write(tmp_path)
    again = SentencePieceSettings.read(tmp_path)
    assert identifying_settings(again) == identifying_settings(settings)
    _check(again, _TEXTS, expected)


def _replace(kind, old, new):
    return {"type": "Replace", "pattern": {kind: old}, "content": new}


def _fast_file(name, data, writer):
    """Return the `tokenizer.json` of a writer."""
    settings = _read_model(name, data)
    values = settings.fast_components()
    scores = {p.text: p.score for p in settings.vocabulary.model.pieces}
    lowered = {t: x - 100 * (t in _NUMBERS) for t, x in scores.items()}
    values["model"]["vocab"] = [*map(list, scores.items())]
    steps = [_replace("String", 2 * mark, '"') for mark in "`'"]
    steps += [{"type": "NFKD"}, {"type": "StripAccents"}]
    steps += [{"type": "Lowercase"}] * (name == "AlbertTokenizer")
    steps.append(values["normalizer"]["normalizers"][-1])
    words = values["pre_tokenizer"]["pretokenizers"]
    special = [t for t in settings.vocabulary.tokens[:9] if len(t) > 2]
    others = [] if writer == "published" else ["(", ")", "."]
    if writer == "4":
        values["model"]["vocab"] = [*map(list, lowered.items())]
        steps.append(_replace("Regex", " {2,}", " "))
        words = words[1:]
    if writer == "published":
        del values["model"]["type"]
    values["normalizer"] = {"type": "Sequence", "normalizers": steps}
    sequence = {"type": "Sequence", "pretokenizers": words}
    values["pre_tokenizer"] = sequence if len(words) > 1 else words[0]
    entries = [
        {
            **{"id": settings.vocabulary.id_of(token), "content": token},
            **{"single_word": False, "rstrip": False, "normalized": False},
            "lstrip": "mask" in token.lower() and writer != "5",
            "special": token in special,
        }
        for token in (*special, *others)
    ]
    entries.sort(key=lambda entry: entry["id"])
    return {"version": "1.0", "added_tokens": entries, **values}


def _read_model(name, data):
    model = SentencePieceModel(data)
    tokens = {piece.text for piece in model.pieces}
    conventions = conventions_of_tokens(tokens, name)
    vocabulary = SentencePieceVocabulary(model, "model", conventions)
    return SentencePieceSettings(vocabulary)


@pytest.mark.parametrize("has_model", [True, False])
@pytest.mark.parametrize("writer", ["published", "4", "5"])
def test_a_fast_directory_has_the_rules_of_its_file(
    name, data, writer, has_model, tmp_path
):
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(_fast_file(name, data, writer)))
    if has_model:
        (tmp_path / "spiece.model").write_bytes(data)
    config = {"tokenizer_class": name, "bos_token": "<s>", "eos_token": "</s>"}
    if name == "AlbertTokenizer":
        config |= {"bos_token": "[CLS]", "eos_token": "[SEP]"}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    peer = tokenizers.Tokenizer.from_file(str(path))
    settings = SentencePieceSettings.read(tmp_path)
    texts = [text for text in _TEXTS if "\x00" not in text]
    theirs = peer.encode_batch(texts, add_special_tokens=False)
    _check(settings, texts, [encoding.ids for encoding in theirs])
    finding = settings.make().with_special_tokens().settings
    theirs = peer.encode_batch(_SPECIAL, add_special_tokens=False)
    _check(finding, _SPECIAL, [encoding.ids for encoding in theirs])
    settings.write(tmp_path)
    again = SentencePieceSettings.read(tmp_path)
    assert identifying_settings(again) == identifying_settings(settings)


@pytest.mark.parametrize("name", ["XLNetTokenizer"], indirect=True)
def test_a_special_token_that_is_a_piece_is_no_addition(data, tmp_path):
    (tmp_path / "spiece.model").write_bytes(data)
    path = tmp_path / "special_tokens_map.json"
    path.write_text(json.dumps({"bos_token": "<s>"}))
    settings = SentencePieceSettings.read(tmp_path)
    settings.write(tmp_path)
    values = json.loads((tmp_path / "tokenizer_config.json").read_text())
    assert (values["bos_token"], values["eos_token"]) == ("<s>", "</s>")
    (ids,) = settings.make().with_special_tokens()(["<s>"]).to_list()
    assert ids == [settings.vocabulary.id_of("<s>")]


def test_a_token_that_is_no_piece_is_refused_by_name(data, tmp_path):
    (tmp_path / "spiece.model").write_bytes(data)
    entry = {"content": "[E1]", "special": False}
    config = {"added_tokens_decoder": {"9999": entry}}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    with pytest.raises(ValueError, match=r"added tokens must follow|\[E1\]"):
        SentencePieceSettings.read(tmp_path)


def test_the_family_of_the_directory_names_its_special_tokens(tmp_path):
    (tmp_path / "spiece.model").write_bytes(train("XLMRobertaTokenizer"))
    (tmp_path / "config.json").write_text('{"model_type": "xlnet"}')
    with pytest.raises(ValueError, match="special tokens .*<cls>, <sep>"):
        SentencePieceSettings.read(tmp_path)
