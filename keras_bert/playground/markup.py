"""Functions that build escaped HTML and images."""

import base64
import html
import io

import numpy as np
from PIL import Image

_POSITIVE, _NEGATIVE = (59, 130, 246), (234, 88, 12)


class Html(str):
    """String of HTML that is not escaped again."""


def element(name, /, *children, **attributes):
    """Return an HTML or SVG element.

    Args:
        name: str.
        *children: `Html`, or other values, which are converted to escaped text.
        **attributes: attribute values, escaped. A trailing underscore, as in
            `class_`, is removed; others become hyphens. None omits the
            attribute.

    Returns:
        `Html`
    """
    given = "".join(
        f' {key.removesuffix("_").replace("_", "-")}="{html.escape(str(x))}"'
        for key, x in attributes.items()
        if x is not None
    )
    if name in ("img", "input"):
        return Html(f"<{name}{given}>")
    return Html(f"<{name}{given}>{joined(*children)}</{name}>")


def joined(*children):
    """Concatenate children to `Html`; escape those that are not `Html`."""
    return Html(
        "".join(
            child if isinstance(child, Html) else html.escape(str(child))
            for child in children
        )
    )


def wide(child):
    """Wrap an element so that it scrolls sideways if it is too wide."""
    return element("div", child, class_="wide", tabindex="0")


def note(text):
    """Return a note for a picture, or an empty `Html` for ""."""
    return element("p", text, class_="note") if text else Html("")


def table(head, rows):
    """Return a table.

    Args:
        head: list of str, the column titles.
        rows: list of lists of cells.
    """
    names = [element("th", name, scope="col") for name in head]
    head = element("thead", element("tr", *names))
    body = [
        element("tr", *(element("td", cell) for cell in row)) for row in rows
    ]
    return wide(element("table", head, element("tbody", *body)))


def bar(share, text=None):
    """Return a bar chart of one value, with a label.

    Args:
        share: float, value from 0 to 1.
        text: str, label of the bar. Defaults to the value in percent.
    """
    width = f"width:{100 * min(max(share, 0.0), 1.0):.1f}%"
    number = element("b", percent(share) if text is None else text)
    return element("span", element("span", style=width), number, class_="bar")


def ranking(head, pairs):
    """Return a table of (text, probability) pairs with the title `head`."""
    rows = [[text, bar(share)] for text, share in pairs]
    return table([head, "Probability"], rows)


def piece(token, kind=None, **attributes):
    """Return a word piece as a chip; `kind` is a class of the style sheet."""
    class_ = f"piece {kind}" if kind else "piece"
    return element("span", token, class_=class_, **attributes)


def shade(value):
    """Return the CSS of a background, blue above 0 and orange below."""
    color = ",".join(map(str, _POSITIVE if value >= 0 else _NEGATIVE))
    return f"background:rgba({color},{min(abs(value), 1):.2f})"


def sides(sections):
    """Arrange sections (lists of elements) side by side."""
    sections = [element("section", *section) for section in sections]
    return element("div", *sections, class_="sides")


def percent(share):
    """Format a value from 0 to 1 in percent."""
    return f"{100 * share:.1f} %"


def picker(items, class_="pick", chosen=0):
    """Return a list of labels that shows the panel of the selected label.

    No JavaScript is needed: labels contain radio buttons, and the style sheet
    shows the panel after the checked one. Each picker is a separate form.

    Args:
        items: list of (label, panel) pairs.
        class_: str, "pick" or "lines".
        chosen: int, index of the initially selected item.
    """
    parts = []
    for index, (label, panel) in enumerate(items):
        checked = "checked" if index == chosen else None
        button = element("input", type="radio", name="pick", checked=checked)
        parts.append(element("label", button, element("span", label)))
        parts.append(element("div", panel, class_="panel"))
    # A form with this method is never sent.
    return element("form", *parts, method="dialog", class_=class_)


def png_address(values, most):
    """Encode a matrix as a PNG image with one pixel for each number.

    Positive numbers are blue, negative ones orange. Numbers near 0 are
    transparent.

    Args:
        values: float array `(height, width)`.
        most: float above 0, the value with full opacity.

    Returns:
        A `data:` URL.
    """
    values = np.asarray(values, np.float32)
    colors = np.where(values[..., None] >= 0, _POSITIVE, _NEGATIVE)
    alpha = np.clip(np.abs(values) / most, 0, 1)[..., None] * 255
    pixels = np.concatenate([colors, alpha], axis=-1).astype(np.uint8)
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, format="png")
    encoded = base64.b64encode(file.getvalue()).decode("ascii")
    return f"data:image/png;base64,{encoded}"


def strip(vector, most, alt):
    """Return an image of a vector as a row of pixels."""
    address = png_address(vector[np.newaxis], most)
    return element("img", src=address, alt=alt, class_="strip")
