"""The public names of keras_bert, and links to them where text names them."""

import importlib
import types

import docutils.nodes
import sphinx.addnodes
from sphinx.transforms import SphinxTransform

import keras_bert


def public_modules():
    """Modules by name, `keras_bert` first."""
    names = [
        f"keras_bert.{name}"
        for name in keras_bert.__all__
        if isinstance(getattr(keras_bert, name), types.ModuleType)
    ]
    return {
        name: importlib.import_module(name) for name in ["keras_bert", *names]
    }


def public_objects(module):
    """What is public in a module but modules, by name."""
    names = getattr(
        module, "__all__", [n for n in vars(module) if not n.startswith("_")]
    )
    objects = {name: getattr(module, name) for name in names}
    return {
        name: value
        for name, value in objects.items()
        if not isinstance(value, types.ModuleType)
    }


def has_page(value):
    """Whether a public object is documented on a page of its own."""
    return isinstance(value, type | types.FunctionType)


def documented_names():
    """The name that each public name is documented under, as a dict.

    An object with two public names is documented under the first one.
    """
    first, documented = {}, {}
    for module_name, module in public_modules().items():
        for name, value in public_objects(module).items():
            full = f"{module_name}.{name}"
            if has_page(value):
                documented[full] = first.setdefault(id(value), full)
            else:
                documented[full] = full
    return documented


class LinkPublicNames(SphinxTransform):
    """Makes links of the public names that stand in text as code."""

    default_priority = 500

    def apply(self, **kwargs):
        known = documented_names()
        for node in [*self.document.findall(docutils.nodes.literal)]:
            name = node.astext().partition("(")[0]
            parent = node.parent
            is_linked = isinstance(
                parent,
                docutils.nodes.reference
                | docutils.nodes.title
                | sphinx.addnodes.pending_xref,
            )
            if name in known and not is_linked:
                link = sphinx.addnodes.pending_xref(
                    "",
                    refdomain="py",
                    reftype="obj",
                    reftarget=known[name],
                    refdoc=self.env.docname,
                )
                node.replace_self(link)
                link += node


def setup(app):
    app.add_transform(LinkPublicNames)
    return {"parallel_read_safe": True}
