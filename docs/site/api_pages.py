"""Writes docs/api: a page for each public module, class and function."""

import ast
import inspect
import pathlib
import pprint
import textwrap

from markdown_docstrings import to_restructured_text
from public_names import documented_names
from public_names import has_page
from public_names import public_modules
from public_names import public_objects
from sphinx.util import logging

_LOGGER = logging.getLogger(__name__)


def _underlined(title):
    return f"{title}\n{'=' * len(title)}\n"


def _own_docstring(value):
    """Not that of a base class."""
    if isinstance(value, type):
        return vars(value).get("__doc__")
    return value.__doc__


def _arguments(value):
    """The arguments of a class as its source has them.

    Keras's classes have a `__new__`, whose arguments autodoc would show.
    """
    try:
        source = inspect.getsource(value.__init__)
    except (OSError, TypeError):
        return ""  # Python made it, for a dataclass say; autodoc reads that.
    arguments = ast.parse(textwrap.dedent(source)).body[0].args
    del arguments.args[0]
    return f"({ast.unparse(arguments)})"


def _object_page(full_name, value):
    title = _underlined(full_name.split(".")[-1])
    title += "\n.. highlight:: python\n"
    if not isinstance(value, type):
        return f"{title}\n.. autofunction:: {full_name}\n"
    return (
        f"{title}\n.. autoclass:: {full_name}{_arguments(value)}\n"
        "   :members:\n   :inherited-members:\n"
    )


def _data(module_name, name, value):
    if isinstance(value, pathlib.Path):
        return _heading_of_data(module_name, name)  # It differs by machine.
    code = textwrap.indent(pprint.pformat(value, width=72), " " * 6)
    heading = _heading_of_data(module_name, name)
    return f"{heading}\n   .. code-block:: python\n\n{code}\n"


def _heading_of_data(module_name, name):
    return f".. py:data:: {name}\n   :module: {module_name}\n"


def _line(full_name, value):
    line = to_restructured_text(_first_line(value))
    return f"* :py:obj:`{full_name}`: {line}"


def _first_line(value):
    return (_own_docstring(value) or "").partition("\n")[0]


def _module_page(module_name, objects, documented):
    pages = {
        documented[f"{module_name}.{name}"]
        for name, value in objects.items()
        if has_page(value)
    }
    pages = sorted(pages, key=lambda page: page.split(".")[-1].lower())
    own = [p for p in pages if p.rpartition(".")[0] == module_name]
    lines = [
        _underlined(module_name),
        f".. automodule:: {module_name}\n",
        *(_line(page, objects[page.split(".")[-1]]) for page in pages),
        "\n.. toctree::\n   :hidden:\n",
        *(f"   {page.split('.')[-1]} <{page}>" for page in own),
        "",
        *(
            _data(module_name, name, value)
            for name, value in objects.items()
            if not has_page(value)
        ),
    ]
    return "\n".join(lines)


def _index(modules):
    lines = [
        _underlined("Reference"),
        "Every public name, from its docstring. Shapes are in the words of the",
        "arguments; 1 in a mask attends, 0 does not.\n",
        *(
            f"* :doc:`{name}`: {to_restructured_text(_first_line(module))}"
            for name, module in modules.items()
        ),
        "\n.. toctree::\n   :hidden:\n",
        *(f"   {name}" for name in modules),
    ]
    return "\n".join(lines) + "\n"


def _pages():
    """The text of each page by its file's name without the ending."""
    documented = documented_names()
    pages = {"index": _index(public_modules())}
    for module_name, module in public_modules().items():
        objects = public_objects(module)
        pages[module_name] = _module_page(module_name, objects, documented)
        for name, value in objects.items():
            full = f"{module_name}.{name}"
            if has_page(value) and documented[full] == full:
                if not _own_docstring(value):
                    _LOGGER.warning("%s has no docstring", full)
                pages[full] = _object_page(full, value)
    return pages


def write_pages(app):
    """Writes what has changed and removes what is public no more."""
    folder = pathlib.Path(app.confdir) / "api"
    folder.mkdir(exist_ok=True)
    pages = {folder / f"{name}.rst": text for name, text in _pages().items()}
    for path in {*folder.glob("*.rst")} - {*pages}:
        path.unlink()
    for path, text in pages.items():
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")


def _is_of_others(app, what, name, value, skip, options):
    """Leaves out what classes inherit from Keras."""
    function = getattr(value, "fget", value)
    module = getattr(function, "__module__", None) or "keras_bert"
    return skip or not module.startswith("keras_bert")


def setup(app):
    app.connect("autodoc-skip-member", _is_of_others)
    app.connect("builder-inited", write_pages)
    return {"parallel_read_safe": True}
