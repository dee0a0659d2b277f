"""Tokenizer conventions of model families.

`special_tokens.json` in the folder of a family contains the fields of
`Conventions` that differ from the defaults. The file is missing if a family
uses the conventions of BERT or another family.
"""

import dataclasses
import functools
import json

from keras_bert.locations import FAMILIES
from keras_bert.locations import model_type_of
from keras_bert.template import Template

MODEL = "model"  # Use only the normalizer in the SentencePiece model file.
OTHER_SPACES = "\t\n\r"  # The op for SentencePiece reads them as spaces.


@dataclasses.dataclass(frozen=True, eq=False)
class Conventions:
    """Special tokens, files and ids of a family's tokenizer.

    Args:
        kind: str, type of tokenizer; a key of `KINDS`.
        tokenizer_class: str, its name in transformers.
        roles: dict mapping "pad", "unknown", "cls", "sep" and "mask" to pieces.
        files: sequence of str, names of a SentencePiece model file; the
            published name first.
        first: sequence of str, pieces with the first ids, even if the model
            does not contain them; the other pieces follow in the model's
            order.
        last: sequence of str, pieces to append if the model does not contain
            them.
        own_pieces: sequence of str, other pieces of the published model, to
            recognize it among models with the same special tokens.
        special: sequence of str, the other special tokens in transformers, if
            the model contains them; first "bos_token" and "eos_token".
        normalizer: str, the default normalizer: a key of `NORMALIZERS`, or
            `MODEL` for the normalizer in the model file.
        lowercase: bool, whether to lower-case texts if no file says so.
        pair: str, the layout of pairs, in the format of `Template`.
        ignores_casing: bool, whether transformers ignores `do_lower_case`.
    """

    kind: str
    tokenizer_class: str
    roles: dict
    files: tuple = ()
    first: tuple = ()
    last: tuple = ()
    own_pieces: tuple = ()
    special: tuple = ()
    normalizer: str = MODEL
    lowercase: bool = False
    pair: str = Template.pair
    ignores_casing: bool = False

    def tokens(self, pieces):
        """Return all tokens in the order of their ids.

        Args:
            pieces: list of str, SentencePiece pieces in the order of the model.
        """
        others = [piece for piece in pieces if piece not in self.first]
        last = [token for token in self.last if token not in pieces]
        return [*self.first, *others, *last]


@functools.cache
def _conventions():
    """Return the `Conventions` of all families by `model_type`."""
    return {
        model_type_of(path.parent.name): Conventions(
            **json.loads(path.read_text(encoding="utf-8"))
        )
        for path in sorted(FAMILIES.glob("*/special_tokens.json"))
    }


@functools.cache
def conventions_of(kind):
    """Return the `Conventions` of all families that use a tokenizer type."""
    return [x for x in _conventions().values() if x.kind == kind]


def class_of_model(model_type):
    """Return the name of a family's tokenizer in transformers, or ""."""
    known = _conventions().get(model_type)
    return known.tokenizer_class if known else ""


def published_class(settings):
    """Return the name of the matching tokenizer class in transformers, or None.

    Args:
        settings: settings of a tokenizer.
    """
    roles = settings.vocabulary.roles
    known = {x.tokenizer_class: x.roles for x in conventions_of(settings.kind)}
    return next((name for name, x in known.items() if x == roles), None)
