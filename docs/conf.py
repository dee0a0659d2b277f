"""How Sphinx makes the site of README.md and these pages; see `make docs`.

The source directory is the repository, so that links between files mean on
the site what they mean on GitHub.
"""

import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent / "site"))

# Of the kernels that run the tutorials.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

project = "keras_bert"
root_doc = "docs/index"
include_patterns = [
    "README.md",
    "CHANGELOG.md",
    "CODE_OF_CONDUCT.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "docs/**",
    "keras_bert/tiny_model/README.md",
    "tfrecords/README.md",
]
exclude_patterns = ["docs/_build", ".*"]
extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "api_pages",
    "markdown_docstrings",
    "mathml",
    "public_names",
]

# No dashes for the -- of flags.
smartquotes_action = "qe"
# Commands and screens are no Python.
highlight_language = "none"

# Pages: what GitHub renders, by the same names of headings.
myst_enable_extensions = ["dollarmath", "html_image"]
myst_fence_as_directive = ["math"]
myst_heading_anchors = 4
# The tutorials run when the site is built; what has run is kept until the
# notebook changes. In logs there is nothing for a reader.
nb_execution_mode = "cache"
nb_execution_cache_path = "docs/_build/notebooks"
nb_execution_raise_on_error = True
nb_execution_timeout = 600
nb_merge_streams = True
nb_output_stderr = "remove"
nb_ipywidgets_js = {}

# Docstrings.
autodoc_inherit_docstrings = False
autodoc_typehints_format = "short"
# Shown by these names, not as the types that they stand for.
_ALIASES = ("Path", "Tensor", "Tensors", "Texts")
autodoc_type_aliases = {name: name for name in _ALIASES}
napoleon_numpy_docstring = False
napoleon_use_ivar = True
napoleon_custom_sections = [
    ("Call arguments", "params_style"),
    ("Returns", "notes_style"),
    ("Yields", "notes_style"),
]

# A link that leads nowhere is an error; these lead out of the project, or are
# private classes in a signature.
nitpick_ignore_regex = [
    ("py:.*", r"(?!keras_bert).*"),
    ("py:class", r"keras_bert\..*"),
]

html_math_renderer = "mathml"
html_theme = "furo"
html_title = "keras_bert"
html_show_copyright = False
html_show_sourcelink = False
html_copy_source = False
html_static_path = ["site/static"]
html_css_files = ["site.css"]
html_additional_pages = {"index": "to_root_doc.html"}
templates_path = ["site/templates"]
