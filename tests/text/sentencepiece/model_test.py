"""Files of models, whole and broken; their pieces and roles."""

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
from keras_bert.text.sentencepiece.model import bytes_field
from keras_bert.text.sentencepiece.model import int_field

_SPECIAL = [
    Piece("<pad>", 0.0, CONTROL),
    Piece("<unk>", 0.0, UNKNOWN),
    *(Piece(token, 0.0, CONTROL) for token in ("[CLS]", "[SEP]")),
    Piece("[MASK]", 0.0, USER_DEFINED),
]
_PIECES = [*_SPECIAL, Piece("▁", -1.0, NORMAL), Piece("a", -2.0, NORMAL)]


def _file(pieces=_PIECES, trainer=b""):
    """The bytes of a model."""
    data = b"".join(piece.to_bytes() for piece in pieces)
    return data + bytes_field(2, trainer) + bytes_field(3, b"")


def _vocabulary(*pieces):
    return SentencePieceVocabulary(SentencePieceModel(_file([*pieces])))


def test_a_real_file_is_read(spiece_file):
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


def test_what_is_saved_is_the_same_file(spiece_file, tmp_path):
    vocabulary = SentencePieceVocabulary.from_file(spiece_file)
    vocabulary.save(tmp_path / "spiece.model")
    again = SentencePieceVocabulary.from_file(tmp_path / "spiece.model")
    assert (tmp_path / "spiece.model").read_bytes() == spiece_file.read_bytes()
    assert again.sha256 == vocabulary.sha256


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


@pytest.mark.parametrize("size", [1, 100, 3000, 6000])
def test_a_file_that_is_cut_is_an_error(spiece_file, size):
    data = spiece_file.read_bytes()[:size]
    with pytest.raises(ValueError, match="^m must be a SentencePiece model"):
        SentencePieceModel(data, "m")


@pytest.mark.parametrize(
    "data",
    [b"", b"\0" * 64, b"[CLS]\n[SEP]\n", b'{"model": 1}', b"\x0a\xff" * 99],
)
def test_what_is_no_model_is_an_error(data):
    with pytest.raises(ValueError, match="^m must be a SentencePiece model"):
        SentencePieceModel(data, "m")


def test_no_bytes_of_a_broken_file_pass_unnoticed_but_by_chance(spiece_file):
    data = spiece_file.read_bytes()
    for place in range(0, 200):
        broken = bytearray(data)
        broken[place] ^= 0xFF
        try:
            SentencePieceVocabulary(SentencePieceModel(bytes(broken)))
        except ValueError:
            pass  # Any other error would be one of ours.


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (_file(trainer=int_field(3, 2)), "unigram model.* Received: BPE"),
        (_file(trainer=int_field(3, 3)), "unigram model.* Received: word"),
        (_file(trainer=int_field(35, 1)), "byte_fallback=true"),
        (_file(trainer=int_field(24, 1)), "treat_whitespace_as_suffix=true"),
        (_file(trainer=int_field(4, 3)), "1 to 3 pieces.* Received: 7"),
        (_file([]), "Received: 0"),
        (_file([*_PIECES, Piece("", 0.0, 1)]), "'' with id 7"),
        (_file([*_PIECES, Piece("a\0", 0.0, 1)]), r"'a\\x00' with id 7"),
        (_file([*_PIECES, Piece("b", 0.0, 6)]), "Received: 6 for 'b'"),
        (_file([*_PIECES, Piece("b", float("nan"), 1)]), "nan for 'b'"),
    ],
)
def test_a_model_that_the_graph_cannot_run_is_an_error(data, message):
    with pytest.raises(ValueError, match=f"^m must .*{message}"):
        SentencePieceModel(data, "m")


def test_a_model_of_another_family_is_an_error():
    control = ["<s>", "</s>", "<cls>", "<sep>", "<pad>", "<mask>"]
    model = SentencePieceModel(
        _file(
            [
                Piece("<unk>", 0.0, UNKNOWN),
                *(Piece(text, 0.0, CONTROL) for text in control),
                *_PIECES[-2:],
            ]
        )
    )
    with pytest.raises(
        ValueError,
        match=r"Missing: \[CLS\], \[SEP\], \[MASK\].*another family.*<cls>",
    ):
        SentencePieceVocabulary(model, "m")


def test_a_piece_cannot_stand_twice():
    with pytest.raises(ValueError, match="twice.*'a' with the ids 6 and 7"):
        _vocabulary(*_PIECES, _PIECES[-1])


def test_a_character_that_is_no_piece_is_an_error():
    with pytest.raises(ValueError, match="Missing: 'b', '▁'"):
        _vocabulary(*_SPECIAL, Piece("a", 0.0, 1), Piece("▁ab", 0.0, 1))


def test_another_unknown_piece_is_an_error():
    pieces = [p._replace(kind=NORMAL) for p in _PIECES[:2]] + _PIECES[2:]
    with pytest.raises(ValueError, match="only unknown piece. Received: none"):
        _vocabulary(*pieces)


def test_a_broken_table_of_replacements_is_an_error(spiece_file):
    """The op would read beyond it, or never come back."""
    charsmap = SentencePieceModel(spiece_file.read_bytes()).charsmap
    check_charsmap(charsmap)
    check_charsmap(b"")
    root = struct.unpack_from("<I", charsmap, 4)
    for broken in (
        b"\1",
        charsmap[:-1],
        charsmap[:500],
        charsmap[:4] + struct.pack("<I", root[0] ^ 1 << 30) + charsmap[8:],
        # A node that leads to itself.
        struct.pack("<257I", 1024, 0, 1 << 10 | 1, *[0] * 254) + b"a\0",
    ):
        with pytest.raises(ValueError, match="a broken table of replacements"):
            check_charsmap(broken)
