"""Formulas as MathML, which browsers draw without a script or a font."""

import docutils.nodes
import latex2mathml.converter


def _formula(writer, node, display):
    latex = node.astext()
    writer.body.append(latex2mathml.converter.convert(latex, display=display))
    raise docutils.nodes.SkipNode


def _visit_inline(writer, node):
    _formula(writer, node, "inline")


def _visit_block(writer, node):
    _formula(writer, node, "block")


def setup(app):
    app.add_html_math_renderer(
        "mathml", (_visit_inline, None), (_visit_block, None)
    )
    return {"parallel_read_safe": True}
