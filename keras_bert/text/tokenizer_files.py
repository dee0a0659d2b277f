"""Tokenizer directories in the format of transformers."""

import pathlib

from keras_bert.config import read_json_file
from keras_bert.text.base_vocabulary import AddedToken
from keras_bert.text.conventions import class_of_model

CONFIG, FAST_TOKENIZER = "tokenizer_config.json", "tokenizer.json"
_ADDED, _SPECIAL_MAP = "added_tokens.json", "special_tokens_map.json"
_DECODER, _IN_TEXT = "added_tokens_decoder", "special_tokens_in_text"
# Map keys of tokenizer_config.json to special-token types.
_TOKEN_KEYS = {
    "unk_token": "unknown",
    "sep_token": "sep",
    "pad_token": "pad",
    "cls_token": "cls",
    "mask_token": "mask",
}
_NAMED = (*_TOKEN_KEYS, "bos_token", "eos_token")
_EXTRA = ("additional_special_tokens", "extra_special_tokens")
_MAX_UNUSED = 2**16  # Ids without a token.
# Property values of added tokens that all tokenizer types require.
SUPPORTED = {"single_word": False}


class TokenizerFiles:
    """`tokenizer_config.json` and `tokenizer.json` of a directory.

    Args:
        directory: str or `pathlib.Path`.

    Attributes:
        directory, config_path, fast_path: `pathlib.Path`.
        config, fast: dict, the contents of the two files; empty if missing.
        special_tokens_in_text: bool, the setting in `tokenizer_config.json`.
        tokenizer_class: str, the class in `tokenizer_config.json`, or the class
            of the `model_type` in `config.json`, or "".
    """

    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        self.config_path = self.directory / CONFIG
        self.fast_path = self.directory / FAST_TOKENIZER
        self.config, self.fast = map(self._read, (CONFIG, FAST_TOKENIZER))
        self.special_tokens_in_text = self.config.get(_IN_TEXT, False)
        model_type = self._read("config.json").get("model_type")
        self.tokenizer_class = str(
            self.config.get("tokenizer_class") or class_of_model(model_type)
        )

    def _read(self, name):
        path = self.directory / name
        return read_json_file(path) if path.is_file() else {}

    def component(self, name):
        """Return a component of the tokenizer in `tokenizer.json` as a dict.

        Args:
            name: "model", "normalizer" or "pre_tokenizer". If it is a sequence
                with one pre-tokenizer, return this pre-tokenizer.
        """
        component = self.fast.get(name)
        component = (
            component if isinstance(component, dict) else {"type": component}
        )
        steps = component.get("pretokenizers") or ()
        return steps[0] if len(steps) == 1 else component

    def fast_tokens(self):
        """Return the tokens of `tokenizer.json` in the order of their ids."""
        model = self.component("model")
        if not isinstance(model.get("vocab"), dict):
            raise ValueError(
                f"{self.fast_path} must contain a model with a vocabulary. "
                f"Received: a model of type {model.get('type')!r}."
            )
        added = {e["content"]: e["id"] for e in self.fast_entries()}
        return tokens_by_id({**added, **model["vocab"]}, self.fast_path)

    def fast_merges(self):
        """Return the merges of `tokenizer.json` as sequences of str."""
        merges = self.component("model").get("merges") or []
        return [x.split(" ") if isinstance(x, str) else x for x in merges]

    def fast_entries(self):
        """Return the added tokens of `tokenizer.json` as a list of dicts."""
        return self.fast.get("added_tokens") or []

    def check_rules(self, settings, *ignored):
        """Raise ValueError if rules in `tokenizer.json` differ from settings.

        Args:
            settings: settings of a tokenizer. Rules of `fast_components()`
                that the file does not contain are not compared.
            *ignored: names of rules to ignore.
        """
        rules = settings.fast_components() if self.fast else {}
        for name in ("normalizer", "pre_tokenizer", "model") if rules else ():
            component = self.component(name)
            for key, value in (rules[name] or {"type": None}).items():
                other = component.get(key)
                may_lack = key != "type" or name == "model"
                if key in ("vocab", "merges", *ignored) or (
                    other is None and may_lack
                ):
                    continue
                if (other or None) != (value or None):
                    raise ValueError(
                        f"{self.fast_path}: `{key}` of the {name} must be "
                        f"{value!r}. Received: {other!r}. If the model was "
                        "trained with this rule, tokenize with the package "
                        "`tokenizers` and pass ids to the encoder; otherwise "
                        "delete this file and keep the vocabulary."
                    )

    def special_tokens(self, tokens, *defaults):
        """Return the special tokens of the directory.

        They are in `tokenizer_config.json` or `special_tokens_map.json`.

        Args:
            tokens: collection of str, the vocabulary.
            *defaults: dicts mapping special-token types to tokens, for types
                that the files do not define. The first dict with all its
                tokens in the vocabulary is used.

        Returns:
            A dict mapping special-token types to tokens.
        """
        values = {**self._read(_SPECIAL_MAP), **self.config}
        defined = {x: _text(values.get(key)) for key, x in _TOKEN_KEYS.items()}
        defined = {role: token for role, token in defined.items() if token}
        # PyLate pads with mask tokens and saves this. Padding has no effect.
        if defined.get("pad") == defined.get("mask"):
            defined.pop("pad", None)
        roles = [{**default, **defined} for default in defaults]
        known = {*tokens}
        return next((x for x in roles if known >= {*x.values()}), roles[0])

    def check_special_tokens(self, vocabulary):
        """Raise ValueError if the config file has different special tokens."""
        special = self.special_tokens((), vocabulary.roles)
        if special != vocabulary.roles:
            raise ValueError(
                f"{self.config_path}: the special tokens must be "
                f"{', '.join(vocabulary.roles.values())}. Received: "
                f"{', '.join(special.values())}."
            )

    def added_tokens(self, ids, roles, supported=SUPPORTED):
        """Read the added tokens of the directory, as transformers does.

        They are in `tokenizer.json`, in `tokenizer_config.json` and, in
        directories of older releases, in `added_tokens.json`.

        Args:
            ids: dict mapping the tokens of the vocabulary to their ids.
            roles: dict mapping special-token types to tokens, which are not
                returned.
            supported: dict mapping properties of an added token to the only
                value that this tokenizer type supports.

        Returns:
            A list of the new tokens (str) in the order of their ids, which
            follow the vocabulary, and a tuple of `AddedToken`.

        Raises:
            ValueError: the id of a token differs from the vocabulary, the ids
                have a gap, or a property is not supported.
        """
        known, added = dict(ids), {}
        for path, entry in self._added_entries(ids):
            token = parse_added_token(path, entry, supported, roles.values())
            index = entry["id"]
            if known.setdefault(token.text, index) != index:
                raise ValueError(
                    f"{path}: the added token {token.text!r} must have the id "
                    f"{known[token.text]}, as in the other files of the "
                    f"directory. Received: {index}."
                )
            if token.text not in roles.values():
                added[token.text] = token
        size = max(ids.values(), default=-1) + 1
        new = sorted({*known} - {*ids}, key=known.get)
        if [known[token] for token in new] != [*range(size, size + len(new))]:
            raise ValueError(
                f"{self.directory}: the ids of added tokens must follow the "
                f"{size} tokens of the vocabulary without a gap. Add a line "
                "such as [unused0] to the vocabulary for each missing id. "
                f"Received: { ({token: known[token] for token in new}) }."
            )
        return new, (*added.values(),)

    def refuse(self, tokens):
        """Raise ValueError if there are added tokens.

        Args:
            tokens: list of str, the added tokens that cannot be matched.
        """
        if tokens:
            raise ValueError(
                f"{self.directory} must not add {tokens[0]!r} to its "
                "vocabulary, because this tokenizer type cannot match it in "
                "texts. If your texts do not contain it, remove it from "
                f"{FAST_TOKENIZER}, {CONFIG}, {_SPECIAL_MAP} and {_ADDED}."
            )

    def _added_entries(self, ids):
        """Return (path, entry) pairs; each entry contains its id."""
        entries = [(self.fast_path, entry) for entry in self.fast_entries()]
        decoder = self.config.get(_DECODER)
        if decoder is not None:
            return entries + [
                (self.config_path, {**entry, "id": int(index)})
                for index, entry in decoder.items()
            ]
        special = []
        for values in (self.config, self._read(_SPECIAL_MAP)):
            special += [values.get(key) for key in _NAMED]
            special += [x for key in _EXTRA for x in values.get(key) or []]
        special = [*map(_text, special)]
        known = {entry["content"] for entry in self.fast_entries()}
        known = {t: ids[t] for t in special if t in ids and t not in known}
        return entries + [
            (
                self.directory / _ADDED,
                {"content": t, "id": index, "special": t in special},
            )
            for t, index in {**known, **self._read(_ADDED)}.items()
        ]


def parse_added_token(path, entry, supported=SUPPORTED, special=()):
    """Parse an entry of a tokenizer file to an `AddedToken`.

    Args:
        path: file path to show in error messages.
        entry: dict, as in the `added_tokens` of a `tokenizer.json`.
        supported: see `TokenizerFiles.added_tokens`. If a value is None, the
            property must be False for special tokens and True for others.
        special: collection of str, tokens that are always special.

    Raises:
        ValueError: a property is not supported.
    """
    text = entry["content"]
    is_special = text in special or bool(entry.get("special"))
    for key, value in supported.items():
        wanted = (not is_special) if value is None else value
        if bool(entry.get(key, wanted)) is not wanted:
            raise ValueError(
                f"{path}: `{key}` of the added token {text!r} must be "
                f"{wanted}. Received: {entry[key]!r}."
            )
    normalized = bool(entry.get("normalized", not is_special))
    return AddedToken(text, is_special, bool(entry.get("lstrip")), normalized)


def tokens_by_id(ids, path):
    """Return tokens in the order of their ids, "" for unused ids.

    Args:
        ids: dict mapping str to int.
        path: file path to show in error messages.

    Raises:
        ValueError: two tokens have the same id, or an id is not an integer or
            far above the number of tokens.
    """
    tokens = {index: token for token, index in ids.items()}
    end = len(ids) + _MAX_UNUSED
    if len(tokens) < len(ids) or not all(
        type(index) is int and 0 <= index < end for index in tokens
    ):
        raise ValueError(
            f"{path} must give each token a unique integer id, at least 0 and "
            f"below {end}."
        )
    return [tokens.get(n, "") for n in range(max(tokens, default=-1) + 1)]


def config_json(tokenizer_class, settings, **values):
    """Return the contents of a `tokenizer_config.json` as a dict.

    Args:
        tokenizer_class: str, name of the class in transformers.
        settings: settings of a tokenizer.
        **values: additional entries.
    """
    roles = settings.vocabulary.roles
    return {
        "tokenizer_class": tokenizer_class,
        **values,
        _IN_TEXT: settings.special_tokens_in_text,
        **{key: roles[x] for key, x in _TOKEN_KEYS.items() if x in roles},
    }


def _text(value):
    """Return the text of a token that is a str or a serialized AddedToken."""
    return value.get("content") if isinstance(value, dict) else value
