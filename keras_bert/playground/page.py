"""The layout of the page, by Gradio."""

import gradio as gr

from keras_bert.playground.markup import element
from keras_bert.playground.markup import joined
from keras_bert.playground.tab import ChoiceField
from keras_bert.playground.tab import NumberField
from keras_bert.playground.valid_input import MAX_CHARACTERS


def make_page(model, tabs):
    """Lay out the tabs that a model can answer, as `gradio.Blocks`.

    No event keeps anything: the inputs come with each request, and the
    answer goes back with it. Each tab is also an endpoint of its name for
    `gradio_client`.
    """
    shown = [tab for tab in tabs if not tab.lacking(model)]
    with gr.Blocks(title="BERT playground", analytics_enabled=False) as page:
        gr.HTML(_header(model, [tab for tab in tabs if tab not in shown]))
        with gr.Tabs():
            events = [_lay_out(model, tab) for tab in shown]
        for event in events[:1]:
            page.load(*event, api_visibility="private")
    return page


def _header(model, left_out):
    reasons = [
        element("li", f"{tab.title}: it needs {tab.lacking(model)}.")
        for tab in left_out
    ]
    return joined(
        [
            element("h1", "BERT playground"),
            element("p", f"{model.directory}: {model.described()}."),
            element(
                "details",
                element("summary", "What this model cannot show"),
                element("ul", *reasons),
            ),
        ]
    )


def _lay_out(model, tab):
    """Lay out a tab; returns the arguments of its event."""
    fields = tab.fields(model)
    with gr.Tab(tab.title, id=tab.name) as place:
        gr.HTML(element("p", tab.about, class_="about"))
        with gr.Row():
            with gr.Column(scale=1, min_width=280):
                inputs = [_component(field) for field in fields]
                button = gr.Button("Show", variant="primary")
            with gr.Column(scale=2, min_width=300):
                output = gr.HTML(elem_id=tab.name, elem_classes="picture")
    event = _responder(model, tab, fields), inputs, output
    gr.on(
        [button.click, *map(_change, inputs)],
        *event,
        api_name=tab.name,
        show_progress="minimal",
        trigger_mode="always_last",
    )
    place.select(*event, api_visibility="private", show_progress="minimal")
    return event


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
    """The event of a field that asks for a new answer."""
    if isinstance(component, gr.Textbox):
        return component.submit
    return component.change  # Of a slider by mouse and keyboard.


def _responder(model, tab, fields):
    """A function from the values of the fields to HTML."""

    def respond(*values):
        names = [field.name for field in fields]
        inputs = dict(zip(names, values, strict=True))
        try:
            return tab.picture(tab.answer(model, **inputs))
        except (ValueError, OSError, MemoryError) as error:
            text = f"{error}" or "Memory does not suffice."
            return element("p", text, class_="refusal", role="alert")

    return respond
