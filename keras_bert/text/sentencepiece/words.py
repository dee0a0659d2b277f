"""Words of SentencePiece tokenizers that their models do not say."""

import dataclasses
import pathlib

from keras_bert.template import Template
from keras_bert.text.normalization.normalizers import GOOGLE_RESEARCH
from keras_bert.text.normalization.normalizers import MODEL


@dataclasses.dataclass(frozen=True, eq=False)
class SentencePieceWords:
    """Roles, added pieces and ids of the tokenizers of one family.

    Args:
        tokenizer_class: str, its name in transformers.
        files: tuple of str, names that its model has, the published one
            first.
        roles: dict from "pad", "unknown", "cls", "sep" and "mask" to the
            pieces that play these roles.
        first: tuple of str, pieces with the first ids, whether or not they
            stand in the model; the others of the model follow in its order.
        last: tuple of str, pieces with the last ids, unless the model has
            them.
        normalizer: str, the key of `NORMALIZERS` that it has where no file
            says otherwise; `MODEL` follows the model's own rules only.
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
        """Lists all tokens by their ids.

        Args:
            pieces: list of str, those of the model, in its order.
        """
        behind = [piece for piece in pieces if piece not in self.first]
        last = [token for token in self.last if token not in pieces]
        return [*self.first, *behind, *last]


def _roles(*tokens):
    names = "pad", "unknown", "cls", "sep", "mask"
    return dict(zip(names, tokens, strict=True))


ALBERT = SentencePieceWords(
    "AlbertTokenizer",
    ("spiece.model", "30k-clean.model"),  # The second is google-research's.
    _roles("<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]"),
    normalizer=GOOGLE_RESEARCH,
)
DEBERTA = SentencePieceWords(
    "DebertaV2Tokenizer",
    ("spm.model",),
    _roles("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"),
    last=("[MASK]",),
)
# The ids of fairseq: its own four come before the pieces of the model.
XLM_ROBERTA = SentencePieceWords(
    "XLMRobertaTokenizer",
    ("sentencepiece.bpe.model",),
    _roles("<pad>", "<unk>", "<s>", "</s>", "<mask>"),
    first=("<s>", "<pad>", "</s>", "<unk>"),
    last=("<mask>",),
    pair="cls A sep sep B sep",
)
ALL_WORDS = (ALBERT, DEBERTA, XLM_ROBERTA)
LEARNED = ALBERT  # Of models that are made here.


def words_of_file(path):
    """Finds the words that the name of a model's file stands for.

    Args:
        path: str or `pathlib.Path`.

    Returns:
        `SentencePieceWords`; ALBERT's for a name that is none of the others.
    """
    name = pathlib.Path(path).name
    return next((words for words in ALL_WORDS if name in words.files), ALBERT)


def words_of_tokens(tokens):
    """Finds the words whose roles are all played by some of the tokens.

    Args:
        tokens: set of str.

    Returns:
        `SentencePieceWords`; ALBERT's where none fits.
    """
    found = (w for w in ALL_WORDS if {*w.roles.values()} <= tokens)
    return next(found, ALBERT)
