"""The public names of keras_bert, and links to them where text names them."""

import functools
import importlib
import pydoc
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


@functools.cache
def _pages_of_classes():
    """Return the documented name of each public class by its full name."""
    values = [(pydoc.locate(x), page) for x, page in documented_names().items()]
    return {
        f"{value.__module__}.{value.__qualname__}": page
        for value, page in values
        if isinstance(value, type)
    }


def _link_class_of_signature(app, env, node, content):
    """Link a class, which a signature names by its file, to its page."""
    target = _pages_of_classes().get(node.get("reftarget"))
    if target is None:
        return None
    return env.get_domain("py").resolve_xref(
        env, node["refdoc"], app.builder, "obj", target, node, content
    )


def setup(app):
    app.add_transform(LinkPublicNames)
    app.connect("missing-reference", _link_class_of_signature)
    return {"parallel_read_safe": True}
