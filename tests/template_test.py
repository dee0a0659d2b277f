import pytest

from keras_bert.template import Template


@pytest.mark.parametrize(
    "single, pair, message",
    [
        ("[CLS] [SEP]", "[CLS] A B", "must contain A once.*'.CLS. .SEP.'"),
        ("A", "[CLS] B", "must contain A and B once.*'.CLS. B'"),
        ("A A", "A B", "once.*'A A'"),
    ],
)
def test_a_layout_names_its_texts(single, pair, message):
    with pytest.raises(ValueError, match=message):
        Template(single, pair, "[PAD]")


def test_a_side_is_left_or_right():
    with pytest.raises(ValueError, match="padding_side='top'"):
        Template("A", "A B", "[PAD]", padding_side="top")


def test_roles_become_the_tokens_of_a_vocabulary():
    roles = {"cls": "<s>", "sep": "</s>", "pad": "<pad>", "mask": "<mask>"}
    template = Template().with_tokens(roles)
    assert template.layout(is_pair=True) == [
        *(("<s>", 0), ("A", 0), ("</s>", 0), ("B", 1), ("</s>", 1))
    ]
    assert template.tokens == ("<pad>", "<s>", "</s>")
    literal = Template("[CLS] A", "[CLS] A [SEP] B", "[PAD]", segments=False)
    assert literal.with_tokens(roles) == literal
