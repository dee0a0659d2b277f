"""Layout of the page in Gradio."""

import json

import gradio as gr

from keras_bert.playground.markup import element
from keras_bert.playground.markup import joined
from keras_bert.playground.tab import MAX_CHARACTERS
from keras_bert.playground.tab import ChoiceField
from keras_bert.playground.tab import NumberField

# The JavaScript functions are in page.js.
_CLICKS = "clicks(element, trigger)"


def make_page(model, tabs):
    """Lay out the tabs that a model supports, as `gradio.Blocks`.

    The server stores no state: each request contains the inputs, and its
    response contains the result. Each tab is also an endpoint for
    `gradio_client`, with the name of the tab. The query of the URL selects a
    tab and sets its fields.
    """
    shown = [tab for tab in tabs if not tab.missing_part(model)]
    with gr.Blocks(title="BERT playground", analytics_enabled=False) as page:
        gr.HTML(_header(model, [tab for tab in tabs if tab not in shown]))
        with gr.Tabs() as gradio_tabs:
            views = {tab.name: _lay_out(model, tab) for tab in shown}
        pictures = [picture for *_, picture in views.values()]
        private = {"api_visibility": "private"}
        opening = page.load(
            _opener(views, gradio_tabs),
            outputs=[
                gradio_tabs,
                *(x for _, _, inputs, _ in views.values() for x in inputs),
                *pictures,
            ],
            show_progress="minimal",
            show_progress_on=pictures,
            **private,
        )
        opening.then(None, js="opened", **private)
    return page


def _header(model, left_out):
    reasons = [
        element("li", f"{tab.title}: requires {tab.missing_part(model)}.")
        for tab in left_out
    ]
    details = {"Unavailable tabs": element("ul", *reasons)}
    if model.card:
        card = element("div", model.card, class_="card")
        details = {"Model card": card, **details}
    return joined(
        element("h1", "BERT playground"),
        element("p", f"{model.name}: {model.description()}."),
        *(
            element("details", element("summary", title), content)
            for title, content in details.items()
        ),
    )


def _lay_out(model, tab):
    """Lay out a tab and return its fields, responder and components."""
    fields = tab.fields(model)
    with gr.Tab(tab.title, id=tab.name) as gradio_tab:
        gr.HTML(element("p", tab.description, class_="about"))
        with gr.Row():
            with gr.Column(scale=1, min_width=280):
                inputs = [_component(field) for field in fields]
                button = gr.Button("Show", variant="primary")
            with gr.Column(scale=2, min_width=300):
                output = gr.HTML(
                    elem_id=tab.name,
                    elem_classes="picture",
                    js_on_load=_CLICKS,
                )
    respond = _responder(model, tab, fields)
    at_first = json.dumps({field.name: field.value for field in fields})
    event = {
        "fn": respond,
        "inputs": inputs,
        "outputs": output,
        "js": f"view('{tab.name}', {at_first})",
        "show_progress": "minimal",
    }
    gr.on(
        [button.click, *map(_change, inputs)],
        **event,
        api_name=tab.name,
        trigger_mode="always_last",
    )
    private = {"api_visibility": "private"}
    gradio_tab.select(**event, **private)
    names = [field.name for field in fields]
    output.select(_setter(names, inputs), outputs=inputs, **private)
    return fields, respond, inputs, output


def _component(field):
    if isinstance(field, NumberField):
        return gr.Slider(
            field.low,
            field.high,
            field.value,
            step=field.step,
            label=field.label,
        )
    if isinstance(field, ChoiceField):
        return gr.Radio([*field.choices], value=field.value, label=field.label)
    return gr.Textbox(
        field.value,
        label=field.label,
        lines=field.num_lines,
        max_lines=12,
        max_length=MAX_CHARACTERS,
    )


def _change(component):
    """Return the event of a component that updates the result."""
    if isinstance(component, gr.Textbox):
        return component.submit
    return component.change  # Mouse and keyboard both trigger `change`.


def _responder(model, tab, fields):
    """Return a function that maps the values of the fields to HTML."""

    def respond(*values):
        names = [field.name for field in fields]
        inputs = dict(zip(names, values, strict=True))
        try:
            return tab.picture(tab.ask(model, **inputs))
        except (ValueError, OSError, MemoryError) as error:
            text = f"{error}" or "Out of memory."
            return element("p", text, class_="refusal", role="alert")

    return respond


def _setter(names, components):
    """Return a function that sets fields after a click on a picture."""

    def set_fields(event: gr.EventData):
        return {
            component: getattr(event, name)
            for name, component in zip(names, components, strict=True)
            if hasattr(event, name)
        }

    return set_fields


def _opener(views, gradio_tabs):
    """Return a function that maps the page request to the initial state."""

    def open_view(request: gr.Request):
        query = request.query_params
        if query.get("tab") not in views:
            query = {}
        name = query.get("tab", next(iter(views)))
        fields, respond, inputs, output = views[name]
        values = [
            field.from_query(query.get(field.name, str(field.value)))
            for field in fields
        ]
        shown = {output: respond(*values)}
        if query:  # If there is no query, keep the open tab.
            shown[gradio_tabs] = gr.Tabs(selected=name)
            shown |= dict(zip(inputs, values, strict=True))
        return shown

    return open_view
