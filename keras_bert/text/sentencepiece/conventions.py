"""Conventions of SentencePiece families: special tokens, added pieces, ids."""

import dataclasses
import pathlib

from keras_bert.template import Template
from keras_bert.text.normalization.normalizers import GOOGLE_RESEARCH
from keras_bert.text.normalization.normalizers import MODEL


@dataclasses.dataclass(frozen=True, eq=False)
class SentencePieceConventions:
    """Special tokens, added pieces and ids of the tokenizers of one family.

    Args:
        tokenizer_class: str, its name in transformers.
        files: tuple of str, names of its model file, the published one first.
        roles: dict from "pad", "unknown", "cls", "sep" and "mask" to the
            pieces that play these roles.
        first: tuple of str, pieces with the first ids, also if the model lacks
            them; the other pieces of the model follow in its order.
        last: tuple of str, pieces with the last ids, unless the model has
            them.
        normalizer: str, the default normalizer, a key of `NORMALIZERS`;
            `MODEL` follows the model's own rules only.
        pair: str, the layout of pairs, as `Template` takes it.
    """

    tokenizer_class: str
    files: tuple
    roles: dict
    first: tuple = ()
    last: tuple = ()
    normalizer: str = MODEL
    pair: str = Template.pair

    def tokens(self, pieces):
        """List all tokens by their ids.

        Args:
            pieces: list of str, the pieces of the model, in its order.
        """
        others = [piece for piece in pieces if piece not in self.first]
        last = [token for token in self.last if token not in pieces]
        return [*self.first, *others, *last]


def _roles(*tokens):
    names = "pad", "unknown", "cls", "sep", "mask"
    return dict(zip(names, tokens, strict=True))


ALBERT = SentencePieceConventions(
    "AlbertTokenizer",
    ("spiece.model", "30k-clean.model"),  # The second is google-research's.
    _roles("<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]"),
    normalizer=GOOGLE_RESEARCH,
)
DEBERTA = SentencePieceConventions(
    "DebertaV2Tokenizer",
    ("spm.model",),
    _roles("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"),
    last=("[MASK]",),
)
# The ids of fairseq: its own four come before the pieces of the model.
XLM_ROBERTA = SentencePieceConventions(
    "XLMRobertaTokenizer",
    ("sentencepiece.bpe.model",),
    _roles("<pad>", "<unk>", "<s>", "</s>", "<mask>"),
    first=("<s>", "<pad>", "</s>", "<unk>"),
    last=("<mask>",),
    pair="cls A sep sep B sep",
)
ALL_CONVENTIONS = (ALBERT, DEBERTA, XLM_ROBERTA)
LEARNED = ALBERT  # Of models that are made here.


def conventions_of_file(path):
    """Return the `SentencePieceConventions` for the name of a model's file.

    Args:
        path: str or `pathlib.Path`. Unknown names have ALBERT's conventions.
    """
    name = pathlib.Path(path).name
    return next((c for c in ALL_CONVENTIONS if name in c.files), ALBERT)


def conventions_of_tokens(tokens):
    """Return the first conventions whose special tokens are all in a set.

    Args:
        tokens: set of str.

    Returns:
        `SentencePieceConventions`; by default ALBERT's.
    """
    found = (c for c in ALL_CONVENTIONS if {*c.roles.values()} <= tokens)
    return next(found, ALBERT)
