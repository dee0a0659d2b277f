"""HTML that is escaped unless it was made here."""

import html


class Html(str):
    """A str that is markup."""


def element(name, /, *children, **attributes):
    """An element of HTML or SVG.

    Args:
        name: str.
        *children: `Html` as it is; other values as their text, escaped.
        **attributes: their values, escaped; of `class_` and the like the
            underscore at the end is dropped, others become hyphens. None
            leaves one out.

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
    return Html(f"<{name}{given}>{joined(children)}</{name}>")


def joined(children):
    """Children one after the other, `Html`."""
    return Html("".join(map(_markup, children)))


def _markup(child):
    return child if isinstance(child, Html) else html.escape(str(child))


def note(text):
    """A sentence beside a picture; nothing for ""."""
    return element("p", text, class_="note") if text else Html("")


def table(head, rows):
    """A table that scrolls sideways where it is wider than the screen.

    Args:
        head: list of str.
        rows: list of lists of cells, or of pairs of such a list and the class
            of the row.
    """
    body = []
    for row in rows:
        cells, class_ = row if isinstance(row, tuple) else (row, None)
        cells = [element("td", cell) for cell in cells]
        body.append(element("tr", *cells, class_=class_))
    names = [element("th", name, scope="col") for name in head]
    whole = element(
        "table",
        element("thead", element("tr", *names)),
        element("tbody", *body),
    )
    return element("div", whole, class_="wide", tabindex="0")


def bar(share, text=None):
    """A bar as long as a share from 0 to 1, with its number.

    Args:
        share: float.
        text: str, what is written; the share in percent by default.
    """
    width = f"width:{100 * min(max(share, 0.0), 1.0):.1f}%"
    return element(
        "span",
        element("span", style=width),
        element("b", percent(share) if text is None else text),
        class_="bar",
    )


def percent(share):
    """A share for readers."""
    return f"{100 * share:.1f} %"


def picker(items, class_="pick", chosen=0):
    """Things of which one is chosen, by mouse or arrow keys, and shown.

    It works without a program: each is a radio button in its label, and the
    style sheet shows the panel behind the one that is checked. A form of its
    own keeps the buttons apart from those of other pickers.

    Args:
        items: list of pairs of a label and a panel.
        class_: str, "pick" or "lines".
        chosen: int, which one at first.
    """
    parts = []
    for index, (label, panel) in enumerate(items):
        checked = "checked" if index == chosen else None
        button = element("input", type="radio", name="pick", checked=checked)
        parts.append(element("label", button, element("span", label)))
        parts.append(element("div", panel, class_="panel"))
    # This method sends nothing anywhere.
    return element("form", *parts, method="dialog", class_=class_)
