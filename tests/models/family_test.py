"""A family is named only in its own files."""

import ast
import pathlib
import re

from keras_bert.checkpoints.weight_table import model_types
from keras_bert.locations import family_folder

_PACKAGE = pathlib.Path(__file__).parents[2] / "keras_bert"
_FAMILIES = _PACKAGE / "models" / "families"
# Docstrings and comments can name a family, and these files:
_OTHER_FILES = (
    "config.py",  # `BertConfig` is read without Keras.
    "cli/demo",  # "bert" is a folder name.
    "cli/make_long",  # Names a published format.
    "tasks/embeddings/static.py",  # Creates a model of this family.
    "tasks/embeddings/saving.py",  # Creates one, too.
    # Name the rules of a published tokenizer.
    "text/normalization/normalizers.py",
    "text/sentencepiece/settings.py",
    "text/sentencepiece/tokenizer_json.py",
)
# The layers and the objectives with the name of a family.
_OTHER_NAMES = re.compile(
    "(Roberta|Ernie)Embeddings|(roberta|ernie)_embeddings|^electra(_gdes)?$"
)


def _words(source):
    """Return names and strings of a source, except docstrings."""
    for node in ast.walk(ast.parse(source)):
        for child in ast.iter_child_nodes(node):
            is_doc = isinstance(node, ast.Expr)
            if isinstance(child, ast.Constant) and not is_doc:
                yield child.value
        for field in ("id", "attr", "name", "module", "arg"):
            yield getattr(node, field, None)


def _named(source):
    """Return the words that name a family."""
    words = [word for word in _words(source) if isinstance(word, str)]
    words = [_OTHER_NAMES.sub("", word) for word in words]
    others = "|".join(t for t in model_types() if t != "bert")
    other = re.compile(others.replace("-", ".?"), re.IGNORECASE)
    # Many names contain `bert`; only the string occurs in published files.
    nodes = ast.walk(ast.parse(source))
    strings = [x.value for x in nodes if isinstance(x, ast.Constant)]
    found = [word for word in words if other.search(word)]
    return found + [value for value in strings if value == "bert"]


def test_no_other_file_names_a_family():
    own = {_FAMILIES / family_folder(x) / "model.py" for x in model_types()}
    # The check finds the names in these files. Many names contain "bert".
    others = own - {_FAMILIES / "bert/model.py"}
    assert all(_named(path.read_text(encoding="utf-8")) for path in others)
    own |= {path.with_name("config.py") for path in own}
    named = {}
    for path in {*_PACKAGE.rglob("*.py")} - own:
        name = path.relative_to(_PACKAGE).as_posix()
        if not name.startswith(_OTHER_FILES):
            named[name] = _named(path.read_text(encoding="utf-8"))
    assert {name: words for name, words in named.items() if words} == {}
