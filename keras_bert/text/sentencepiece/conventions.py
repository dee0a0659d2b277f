"""Conventions of SentencePiece families: special tokens, added pieces, ids."""

import dataclasses
import pathlib

from keras_bert.template import Template
from keras_bert.text.normalization.normalizers import GOOGLE_RESEARCH
from keras_bert.text.normalization.normalizers import MODEL


@dataclasses.dataclass(frozen=True, eq=False)
class SentencePieceConventions:
    """Special tokens, added pieces and ids of one family of tokenizers.

    Args:
        tokenizer_class: str, its name in transformers.
        files: tuple of str, names of its model file; the published name first.
        roles: dict from "pad", "unknown", "cls", "sep" and "mask" to the
            pieces that play these roles.
        first: tuple of str, pieces with the first ids, even if the model does
            not contain them; the other pieces follow in the model's order.
        last: tuple of str, pieces to append if the model does not contain
            them.
        normalizer: str, the default normalizer: a key of `NORMALIZERS`, or
            `MODEL` for the normalizer in the model file.
        pair: str, the layout of pairs, in the format of `Template`.
    """

    tokenizer_class: str
    files: tuple
    roles: dict
    first: tuple = ()
    last: tuple = ()
    normalizer: str = MODEL
    pair: str = Template.pair

    def tokens(self, pieces):
        """Return all tokens in the order of their ids.

        Args:
            pieces: list of str, the pieces of the model in its order.
        """
        others = [piece for piece in pieces if piece not in self.first]
        last = [token for token in self.last if token not in pieces]
        return [*self.first, *others, *last]


def _roles(*tokens):
    names = "pad", "unknown", "cls", "sep", "mask"
    return dict(zip(names, tokens, strict=True))


ALBERT = SentencePieceConventions(
    "AlbertTokenizer",
    ("spiece.model", "30k-clean.model"),  # Second: google-research.
    _roles("<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]"),
    normalizer=GOOGLE_RESEARCH,
)
DEBERTA = SentencePieceConventions(
    "DebertaV2Tokenizer",
    ("spm.model",),
    _roles("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"),
    last=("[MASK]",),
)
# Ids of fairseq: its four special tokens come before the model's pieces.
XLM_ROBERTA = SentencePieceConventions(
    "XLMRobertaTokenizer",
    ("sentencepiece.bpe.model",),
    _roles("<pad>", "<unk>", "<s>", "</s>", "<mask>"),
    first=("<s>", "<pad>", "</s>", "<unk>"),
    last=("<mask>",),
    pair="cls A sep sep B sep",
)
ALL_CONVENTIONS = (ALBERT, DEBERTA, XLM_ROBERTA)
LEARNED = ALBERT  # Conventions of models trained by this library.


def conventions_of_file(path):
    """Return the `SentencePieceConventions` for the name of a model file.

    Args:
        path: str or `pathlib.Path`. Unknown names have ALBERT's conventions.
    """
    name = pathlib.Path(path).name
    return next((c for c in ALL_CONVENTIONS if name in c.files), ALBERT)


def conventions_of_tokens(tokens):
    """Return the first conventions with all special tokens in `tokens`.

    Args:
        tokens: set of str.

    Returns:
        `SentencePieceConventions`; ALBERT's if none match.
    """
    found = (c for c in ALL_CONVENTIONS if {*c.roles.values()} <= tokens)
    return next(found, ALBERT)
