"""Outputs of the tabs, without Gradio."""

import numpy as np
import pytest

from keras_bert.playground.playground_model import PlaygroundModel
from keras_bert.playground.tab import ChoiceField
from keras_bert.playground.tab import LinesField
from keras_bert.playground.tab import NumberField
from keras_bert.playground.tab import TextField
from keras_bert.playground.tabs import TABS
from keras_bert.playground.tabs.next_sentence import pair_picture
from keras_bert.playground.tabs.replaced_tokens import judged_picture
from keras_bert.playground.tabs.tasks import fill
from keras_bert.tasks import TextClassifier

_TEXT = "the dog eats meat ."
_DOCUMENTS = "the dog eats.\nthe cat sees.\n\na bird sees.\na fish eats.\n"
_TABS = {tab.name: tab for tab in TABS}
_BASIC = ["masking", "input_representation", "attention"]
_VECTORS = ["similarity", "text_map", "compare"]


def ask(model, name, **values):
    return _TABS[name].ask(model, **values)


def masked(model, **values):
    first = {"rate": 0.5, "seed": 3, "num_draws": 200, "text": _TEXT}
    return ask(model, "masking", **{**first, **values})


def compare(model, directory, what, text, pair=""):
    given = {"what": what, "text": text, "pair": pair}
    return ask(model, "compare", directory=directory, **given)


def picture(model, tab):
    """Draw the first view of a tab."""
    values = {}
    if tab.name == "task" and model.task is None:
        # The mask of the first text is beyond the length limit of tiny models.
        values["text"] = f"{model.vocabulary.roles['mask']} eats"
    return tab.picture(tab.ask(model, **values))


@pytest.mark.smoke("bert", "electra", "tagger", "encoder")
@pytest.mark.parametrize(
    ("name", "own"),
    [
        ("bert", ["task", "next_sentence"]),
        ("encoder", []),
        ("electra", ["replaced_tokens"]),
        *((x, ["task"]) for x in ("modernbert", "features", "unsure")),
        *((x, ["task"]) for x in ("classifier", "tagger", "chooser")),
    ],
)
def test_a_model_draws_the_tabs_that_it_can_answer(shown, own_tabs, name, own):
    names = [tab.name for tab in TABS if not tab.missing_part(shown(name))]
    assert {*names} == {*_BASIC, *_VECTORS, *own}
    for tab in own_tabs(name):
        assert "<" in picture(shown(name), tab)


@pytest.mark.parametrize(
    ("field", "text", "value"),
    [
        (TextField("a", "A", "first"), " ", "first"),
        (NumberField("a", "A", 1, 1, 4), "3", 3),
        (NumberField("a", "A", 1, 1, 4), "0", 1),
        (NumberField("a", "A", 1, 1, 4), "2.5", 1),
        (NumberField("a", "A", 0.5, 0.0, 1.0), "nan", 0.5),
        (ChoiceField("a", "A", "x", ("x", "y")), "z", "x"),
        (LinesField("a", "A", "x\ny", min_lines=2), "z\nx", "z\nx"),
    ],
)
def test_an_address_sets_what_a_field_can_have(field, text, value):
    assert field.from_query(text) == value


def test_a_discriminator_judges_each_piece(shown):
    model = shown("electra")
    judged = ask(model, "replaced_tokens", text=_TEXT)
    assert judged.tokens == ["[CLS]", *_TEXT.split(), "[SEP]"]
    ids = np.array([[model.vocabulary.id_of(x) for x in judged.tokens]])
    inputs = {"input_ids": ids, "input_mask": np.ones_like(ids)}
    inputs["segment_ids"] = np.zeros_like(ids)
    outputs = model.pretrained.model(inputs)
    logits = np.asarray(outputs["replaced_token_logits"])[0]
    expected = 1 / (1 + np.exp(-logits))
    np.testing.assert_allclose(judged.probabilities, expected, atol=1e-5)
    sure = [0.25] * 6 + [0.75]
    judged = type(judged)(judged.tokens, sure, "")
    assert "1 of 7 pieces are predicted" in judged_picture(judged)
    assert 'title="75.0 %"' in judged_picture(judged)


def test_a_masked_text_can_be_put_together_again(shown):
    model = shown("bert")
    found = masked(model, rate=1.0)
    originals = [piece.original for piece in found.pieces]
    assert originals == ["[CLS]", *_TEXT.split(), "[SEP]"]
    outcomes = [piece.outcome for piece in found.pieces]
    assert outcomes[0] == outcomes[-1] == "plain"
    assert "plain" not in outcomes[1:-1]
    for piece in found.pieces:
        assert (piece.shown == "[MASK]") == (piece.outcome == "masked")
        assert (piece.probability is None) == (piece.outcome == "plain")
    # The number of draws does not change the drawn text, the seed does.
    assert masked(model).pieces == masked(model, num_draws=7).pieces
    draws = {str(masked(model, seed=seed).pieces) for seed in range(6)}
    assert len(draws) > 1
    for seed in range(8):
        words = {"text": "the dogs", "unit": "whole words", "seed": seed}
        pieces = masked(model, rate=0.4, **words).pieces
        outcomes = [piece.outcome != "plain" for piece in pieces]
        assert outcomes[2] == outcomes[3]


@pytest.mark.parametrize("label", ["IsNext", "NotNext"])
def test_a_drawn_pair_is_what_was_asked_for(shown, label):
    follows = {"the dog eats .": "the cat sees ."}
    follows["a bird sees ."] = "a fish eats ."
    for seed in range(5):
        given = {"text": _DOCUMENTS, "label": label, "seed": seed}
        pair = ask(shown("bert"), "next_sentence", **given)
        words = " ".join(pair.tokens).removesuffix(" [SEP]")
        first, second = words.removeprefix("[CLS] ").split(" [SEP] ")
        # Sentences can lose a piece at either end.
        is_next = any(first in a and second in b for a, b in follows.items())
        assert is_next == (label == "IsNext"), (first, second)
        assert pair.segments == sorted(pair.segments)
        assert sum(pair.probabilities.values()) == pytest.approx(1)
        right = max(pair.probabilities, key=pair.probabilities.get) == label
        said = f"which is {'right' if right else 'wrong'}"
        assert said in pair_picture(pair)


def test_a_drawn_pair_begins_with_words_and_says_where_it_was_cut(shown):
    text = "dogs sees fish .\n" * 6 + "\na dog .\na cat ."
    num_cuts = 0
    for seed in range(8):
        pair = ask(shown("bert"), "next_sentence", text=text, seed=seed)
        ends = [x for x, token in enumerate(pair.tokens) if token == "[SEP]"]
        starts = [1, ends[0] + 1]
        assert not any(pair.tokens[x].startswith("##") for x in starts)
        expected = [x for x in starts if pair.tokens[x] not in ("dog", "a")]
        expected += [x for x in ends if pair.tokens[x - 1] != "."]
        assert sorted(pair.cuts) == sorted(expected)
        is_told = "sentence is truncated" in pair_picture(pair)
        assert is_told == bool(pair.cuts)
        num_cuts += len(pair.cuts)
    assert num_cuts


def test_byte_offsets_are_those_of_the_text(shown):
    text, pair = "Émile: the  DOG", "dogs"
    given = {"text": text, "pair": pair}
    found = ask(shown("bert"), "input_representation", **given)
    data = {1: text.encode(), 2: pair.encode()}
    cut = [
        (piece.token, data[piece.text_number][piece.start : piece.end])
        for piece in found.pieces
        if piece.text_number
    ]
    assert cut[2:] == [
        ("the", b"the"),
        ("dog", b"DOG"),
        ("dog", b"dog"),
        ("##s", b"s"),
    ]
    assert [piece.segment for piece in found.pieces] == [0] * 6 + [1] * 3
    for piece in found.pieces:
        cosines = [cosine for _, cosine in piece.nearest]
        assert cosines == sorted(cosines, reverse=True)
        assert piece.token not in dict(piece.nearest)
    text = "🐟 dog " * 9
    long = ask(shown("bert"), "input_representation", text=text)
    assert long.note and not found.note


def test_entropy_is_between_none_and_that_of_all_alike(shown):
    given = {"text": _TEXT, "pair": "the cat", "layer": 2, "head": 1}
    found = ask(shown("bert"), "attention", **given)
    assert found.weights.shape == (2, 2, 10, 10)
    np.testing.assert_allclose(found.weights.sum(axis=-1), 1, atol=1e-5)
    assert (found.entropies > 0).all()
    assert (found.entropies < np.log2(10)).all()


def test_fillings_are_those_of_the_library(shown):
    model = shown("bert")
    (filling,) = model.fill_mask("the [MASK] eats")
    expected = [(item["token"], item["probability"]) for item in filling]
    answer = ask(model, "task", text="the [MASK] eats")
    assert answer.rankings == [("Mask 1", expected)]
    assert answer.headline == expected[0][0]


@pytest.mark.parametrize("name", ["left_to_right", "gpt"])
def test_a_text_is_looked_at_both_ways(directories, name):
    beside = PlaygroundModel(
        directories["bert"], left_to_right_dir=directories[name]
    )
    tab = _TABS["left_to_right"]
    found = tab.ask(beside, text="the dog [MASK] meat.")
    assert (found.left, found.right) == ("the dog ", " meat.")
    (filled,) = fill(beside, "the dog [MASK] meat.")
    assert found.filled == filled
    # The most probable next piece is generated first.
    assert found.written.startswith(found.next[0][0].removeprefix("##"))
    shares = [share for _, share in found.next]
    assert shares == sorted(shares, reverse=True)
    assert 0 < sum(shares) < 1
    if name == "gpt":
        with pytest.raises(ValueError, match="must have at least one token"):
            tab.ask(beside, text="\x01 [MASK]")
        return
    # Only the left side counts from the left.
    other = tab.ask(beside, text="the dog [MASK] a cat.")
    assert (other.next, other.written) == (found.next, found.written)
    assert other.filled != found.filled
    given = {"text": "the dog [MASK] .", "choice": "sampled"}
    drawn = {tab.ask(beside, seed=n, **given).written for n in range(3)}
    assert len(drawn) > 1


def test_looking_both_ways_needs_two_models(shown, directories):
    missing_part = _TABS["left_to_right"].missing_part
    assert "left_to_right_dir" in missing_part(shown("bert"))
    beside = PlaygroundModel(
        directories["encoder"], left_to_right_dir=directories["left_to_right"]
    )
    assert missing_part(beside) == "a masked-LM head"


def test_a_fine_tuned_gpt_is_shown_with_the_tokens_of_its_head(
    directories, tmp_path
):
    classifier = TextClassifier.from_pretrained(
        directories["gpt"], labels=["good", "bad"]
    )
    classifier.save(tmp_path / "model")
    model = PlaygroundModel(str(tmp_path / "model"))
    found = ask(model, "attention", text="the dog")
    assert found.tokens == ["_start_", "the", "dog", "_classify_"]


def test_nearest_texts_on_the_map_are_the_most_alike(shown):
    lines = "the dog\nmeat\n\nfish\nthe dog\n"
    found = ask(shown("bert"), "text_map", texts=lines)
    assert found.texts == ["the dog", "meat", "fish", "the dog"]
    assert found.nearest[0][0] == (3, pytest.approx(1))
    np.testing.assert_allclose(found.points[0], found.points[3], atol=1e-5)
    assert 0 < sum(found.shares) <= 1 + 1e-6


def test_labels_are_those_of_the_library(shown):
    model = shown("classifier")
    answer = ask(model, "task", text=_TEXT)
    row = model.task.probabilities([_TEXT])[0]
    ((_, pairs),) = answer.rankings
    expected = dict(zip(model.task.labels, row.tolist(), strict=True))
    assert dict(pairs) == pytest.approx(expected)
    assert pairs[0][1] >= pairs[1][1]
    label = model.task.predict([_TEXT])[0]["label"]
    assert answer.headline == f"Label: {label}"
    (score,) = shown("regressor").task.predict([_TEXT])
    answer_of_number = ask(shown("regressor"), "task", text=_TEXT, pair="")
    assert answer_of_number.headline == f"Score: {score:.3f}"
    tokens, shares = zip(*answer.shares, strict=True)
    assert tokens == ("[CLS]", *_TEXT.split(), "[SEP]")
    assert shares[0] == shares[-1] == 0
    assert all(shares[1:-1])


def test_several_labels_or_none_are_given(shown):
    model, headlines = shown("several"), set()
    for text in ("the dog", "meat", "fish eats", "a bird", "seeds", "cat ."):
        answer = ask(model, "task", text=text)
        ((_, pairs),) = answer.rankings
        given = [x for x in model.task.labels if dict(pairs)[x] >= 0.5]
        assert answer.headline == f"Label: {', '.join(given) or 'none'}"
        headlines.add(answer.headline)
    assert headlines - {"Label: good", "Label: bad"}


def test_of_a_text_in_windows_all_is_labelled_and_some_is_hidden(shown):
    model, text = shown("windows"), "the dog eats meat . " * 4
    answer = ask(model, "task", text=text)
    row = model.task.probabilities([text])[0]
    assert answer.rankings[0][1][0][1] == pytest.approx(row.max())
    assert answer.note.endswith("The first 12 pieces are shown.")
    assert not ask(model, "task", text=_TEXT).note


def test_an_answer_stands_in_its_context(shown):
    context = "the dog eats 🐟 fish"
    given = {"question": "eats", "context": context}
    answer = ask(shown("answerer"), "task", **given)
    (span,) = answer.spans
    ((_, best),) = answer.rankings
    assert context[span["start"] : span["end"]] == best[0][0] == answer.headline
    assert sum(share for _, share in best) == pytest.approx(1)
    assert not answer.note
    unsure = ask(shown("unsure"), "task", **given)
    assert unsure.headline == "No answer"
    assert not unsure.spans
    assert "no answer" in dict(unsure.rankings[0][1])
    assert unsure.note.endswith("by more than -100.00.")


def test_entities_stand_in_their_text(shown):
    model = shown("tagger")
    answer = ask(model, "task", text=_TEXT)
    assert answer.spans == model.task.predict([_TEXT])[0]
    assert answer.headline == f"{len(answer.spans)} entities found. Labels: PET"


def test_choices_share_one_probability(shown):
    given = {"context": "the dog", "choices": "eats\nsees\n"}
    answer = ask(shown("chooser"), "task", **given)
    ((_, pairs),) = answer.rankings
    assert [choice for choice, _ in pairs] == ["eats", "sees"]
    assert sum(share for _, share in pairs) == pytest.approx(1)
    assert answer.headline == max(pairs, key=lambda pair: pair[1])[0]


@pytest.mark.parametrize(
    ("name", "other", "pair", "refusal"),
    [
        ("bert", "encoder", "", "requires a fine-tuned task or a masked-LM"),
        ("pairs", "classifier", "the dog", "this model has no input pair."),
    ],
)
def test_a_model_that_cannot_answer_says_why(
    shown, directories, name, other, pair, refusal
):
    text = "the [MASK]"
    ours, theirs = compare(shown(name), directories[other], "Task", text, pair)
    given = {"text": text, "pair": pair} if pair else {"text": text}
    assert ours.answer == ask(shown(name), "task", **given)
    assert refusal in theirs.refusal


def test_two_models_are_asked_with_their_own_mask(shown, directories):
    other = directories["roberta"]
    _, theirs = compare(shown("bert"), other, "Task", "word1 [MASK]")
    assert theirs.answer == ask(shown("roberta"), "task", text="word1 <mask>")


@pytest.mark.parametrize(
    ("name", "tab", "values", "sentence"),
    [
        ("bert", "masking", {"text": " \n"}, 'The field "Text" is empty'),
        ("bert", "masking", {"rate": 0}, "nothing is masked"),
        ("bert", "masking", {"rate": 1.2}, "from 0.0 to 1.0. Received: 1.2"),
        ("bert", "masking", {"text": "\x01\x02"}, "no piece"),
        ("bert", "masking", {"text": "a" * 20001}, "20,000 char.*: 20,001"),
        ("bert", "next_sentence", {"text": "the dog"}, "blank line"),
        ("bert", "next_sentence", {"text": "a\n\nthe"}, "No pair with the la"),
        ("bert", "task", {"text": "the dog"}, r"^Put \[MASK\] into"),
        ("bert", "task", {"text": "the " * 12 + "[MASK]"}, "first 12 pieces"),
        ("bert", "text_map", {"texts": "a\nb"}, "3 to 100 lines.*: 2"),
        ("bert", "compare", {"directory": "/no/such"}, "'/no/such'"),
        ("bert", "compare", {"what": "Weather"}, "must be one of.*Weather"),
        ("beside", "left_to_right", {"text": "the dog"}, r"Put one \[MASK\]"),
        ("beside", "left_to_right", {"text": " [MASK] a"}, "after the words"),
        ("chooser", "task", {"choices": "a"}, "2 to 10 lines.*: 1"),
    ],
)
def test_invalid_input_gets_a_sentence(
    shown, shown_beside, name, tab, values, sentence
):
    model = shown_beside if name == "beside" else shown(name)
    with pytest.raises(ValueError, match=sentence):
        ask(model, tab, **values)
