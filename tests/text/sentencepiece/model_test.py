"""Valid and corrupt model files; their pieces and roles."""

import struct

import pytest

from keras_bert.text import SentencePieceVocabulary
from keras_bert.text.normalization.replacements import check_charsmap
from keras_bert.text.normalization.replacements import single_replacements
from keras_bert.text.sentencepiece.model import CONTROL
from keras_bert.text.sentencepiece.model import NORMAL
from keras_bert.text.sentencepiece.model import UNKNOWN
from keras_bert.text.sentencepiece.model import USER_DEFINED
from keras_bert.text.sentencepiece.model import Piece
from keras_bert.text.sentencepiece.model import SentencePieceModel
from keras_bert.text.sentencepiece.model import model_bytes
from tests.text.sentencepiece.trained import train

_SPECIAL = [
    Piece("<pad>", 0.0, CONTROL),
    Piece("<unk>", 0.0, UNKNOWN),
    *(Piece(token, 0.0, CONTROL) for token in ("[CLS]", "[SEP]")),
    Piece("[MASK]", 0.0, USER_DEFINED),
]
_PIECES = [*_SPECIAL, Piece("▁", -1.0, NORMAL), Piece("a", -2.0, NORMAL)]


def _vocabulary(*pieces):
    return SentencePieceVocabulary(SentencePieceModel(model_bytes(pieces)))


def test_a_real_file_is_read_and_saved(spiece_file, tmp_path):
    vocabulary = SentencePieceVocabulary.from_file(spiece_file)
    assert len(vocabulary) == 400
    assert vocabulary.tokens[:6] == (
        *("<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]", "("),
    )
    assert vocabulary.unk_id == 1
    assert vocabulary.id_of("[MASK]") == 4 and "▁the" in vocabulary
    assert single_replacements(vocabulary.model.charsmap) == {
        **{"\x01": "", "\x7f": "", "\u200b": " ", "▁": " "},
        **{"\u2215": "/", "😀": ":)"},
    }
    vocabulary.save(tmp_path / "spiece.model")
    assert (tmp_path / "spiece.model").read_bytes() == spiece_file.read_bytes()


def test_words_begin_where_albert_lets_them_begin():
    beginnings = ["▁", "▁a", "<b", ",", "ä", "1", "a1", "'s", "'"]
    insides = ["a", "b", "s", "ing", "a,", "A", "-a"]
    letters = [*"bsing-<A"]
    pieces = [*beginnings, *insides]
    pieces += [text for text in letters if text not in pieces]
    vocabulary = _vocabulary(*_SPECIAL, *(Piece(t, 0.0, 1) for t in pieces))
    continues = dict(zip(vocabulary.tokens, vocabulary.is_continuation))
    assert not any(continues[text] for text in beginnings)
    assert all(continues[text] for text in insides)
    assert not any(continues[text] for text in vocabulary.roles.values())


@pytest.mark.parametrize("data", [b"", b"\0" * 64, b"\x0a\xff" * 99, 100, 6000])
def test_a_file_that_is_cut_or_no_model_is_an_error(spiece_file, data):
    if isinstance(data, int):
        data = spiece_file.read_bytes()[:data]
    with pytest.raises(ValueError, match="^m is not a complete SentenceP"):
        SentencePieceModel(data, "m")


@pytest.mark.parametrize(
    "piece",
    [
        Piece("", 0.0, NORMAL),
        Piece("a\0", 0.0, NORMAL),
        Piece("a", float("nan"), NORMAL),
        Piece("a", 0.0, 5),
    ],
)
def test_a_piece_that_no_op_supports_is_an_error(piece):
    with pytest.raises(ValueError, match="^m is .*a piece must be a text"):
        SentencePieceModel(model_bytes([*_PIECES, piece]), "m")


@pytest.mark.parametrize(
    "trainer, message",
    [
        ({"model_type": "bpe"}, "unigram model.* Received: model_type=2"),
        ({"byte_fallback": True}, "byte_fallback=1"),
        ({"treat_whitespace_as_suffix": True}, "_as_suffix=1"),
    ],
)
def test_a_model_that_the_graph_cannot_run_is_an_error(trainer, message):
    data = train("XLMRobertaTokenizer", vocab_size=400, **trainer)
    with pytest.raises(ValueError, match=f"^m must .*{message}"):
        SentencePieceModel(data, "m")


def test_an_unknown_piece_that_does_not_exist_is_an_error():
    data = model_bytes(_PIECES, unk_id=len(_PIECES))
    with pytest.raises(ValueError, match="no piece has the `unk_id` 7"):
        SentencePieceModel(data)


@pytest.mark.parametrize(
    "pieces, message",
    [
        (
            [
                Piece("<unk>", 0.0, UNKNOWN),
                *(Piece(x, 0.0, CONTROL) for x in ("<pad>", "<cls>", "<sep>")),
                *_PIECES[-2:],
            ],
            r"Missing: \[CLS\], \[SEP\], \[MASK\].*another family.*<cls>",
        ),
        ([*_PIECES, _PIECES[-1]], "twice. Received: 'a'"),
        (
            [*_SPECIAL, Piece("a", 0.0, 1), Piece("▁ab", 0.0, 1)],
            "Missing: 'b', '▁'",
        ),
        (
            [p._replace(type=NORMAL) for p in _PIECES],
            "only unknown piece. Received: none",
        ),
    ],
)
def test_pieces_that_are_no_vocabulary_are_an_error(pieces, message):
    with pytest.raises(ValueError, match=message):
        _vocabulary(*pieces)


def test_a_broken_table_of_replacements_is_an_error(spiece_file):
    """Check tables that the op would read out of bounds."""
    charsmap = SentencePieceModel(spiece_file.read_bytes()).charsmap
    check_charsmap(charsmap)
    check_charsmap(b"")
    root = struct.unpack_from("<I", charsmap, 4)
    for broken in (
        b"\1",
        charsmap[:-1],
        charsmap[:500],
        charsmap[:4] + struct.pack("<I", root[0] ^ 1 << 30) + charsmap[8:],
    ):
        with pytest.raises(ValueError, match="damaged normalization table"):
            check_charsmap(broken)
