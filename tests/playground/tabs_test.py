"""What the tabs answer, without Gradio."""

import numpy as np
import pytest

import keras_bert
from keras_bert.playground.page import _header
from keras_bert.playground.shown_model import ShownModel
from keras_bert.playground.shown_model import shown_model
from keras_bert.playground.tab import ChoiceField
from keras_bert.playground.tab import NumberField
from keras_bert.playground.tab import TextField
from keras_bert.playground.tabs import TABS
from keras_bert.playground.tabs import comparison
from keras_bert.playground.tabs.answering import answer_question
from keras_bert.playground.tabs.attention import attend
from keras_bert.playground.tabs.choosing import choose
from keras_bert.playground.tabs.classification import label_text
from keras_bert.playground.tabs.comparison import compare
from keras_bert.playground.tabs.embeddings import compare_texts
from keras_bert.playground.tabs.embeddings import map_texts
from keras_bert.playground.tabs.filling import fill
from keras_bert.playground.tabs.input_representation import represent
from keras_bert.playground.tabs.left_to_right import TAB as LEFT_TO_RIGHT
from keras_bert.playground.tabs.left_to_right import look_both_ways
from keras_bert.playground.tabs.masking import mask_text
from keras_bert.playground.tabs.next_sentence import DrawnPair
from keras_bert.playground.tabs.next_sentence import draw_pair
from keras_bert.playground.tabs.next_sentence import pair_picture
from keras_bert.playground.tabs.replaced_tokens import judge_text
from keras_bert.playground.tabs.replaced_tokens import judged_picture
from keras_bert.playground.tabs.tagging import tag_text
from keras_bert.tasks import TextClassifier

_TEXT = "the dog eats meat ."
_DOCUMENTS = "the dog eats.\nthe cat sees.\n\na bird sees.\na fish eats.\n"
_BASIC = ["masking", "input_representation", "attention"]
_VECTORS = ["similarity", "text_map", "compare"]


def masked(model, rate=0.5, unit="pieces", seed=3, num_draws=200, text=_TEXT):
    return mask_text(model, text, rate, unit, seed, num_draws)


@pytest.mark.parametrize(
    ("name", "own"),
    [
        ("bert", ["masking", "next_sentence", "fill_mask"]),
        ("encoder", []),
        ("modernbert", ["fill_mask"]),
        ("electra", ["replaced_tokens"]),
        ("classifier", ["classification"]),
        ("features", ["classification"]),
        ("regressor", ["classification"]),
        ("answerer", ["question_answering"]),
        ("tagger", ["tagging"]),
        ("chooser", ["multiple_choice"]),
    ],
)
def test_a_model_has_the_tabs_that_it_can_answer(shown, name, own):
    names = [tab.name for tab in TABS if not tab.lacking(shown(name))]
    assert {*names} == {*_BASIC, *_VECTORS, *own}
    reasons = {tab.lacking(shown("encoder")) for tab in TABS}
    assert {"", "a masked-LM head"} <= reasons


@pytest.mark.smoke("bert", "electra", "tagger")
@pytest.mark.parametrize(
    "name",
    ["bert", "electra", "classifier", "features", "unsure", "tagger"]
    + ["chooser"],
)
def test_every_tab_draws_what_stands_in_its_fields(shown, own_tabs, name):
    model = shown(name)
    for tab in own_tabs(name):
        given = {field.name: field.value for field in tab.fields(model)}
        if tab.name == "fill_mask":  # Its mask is beyond so short a limit.
            given = {"text": "[MASK] eats"}
        assert "<" in tab.picture(tab.answer(model, **given))


@pytest.mark.parametrize("name", ["modernbert"])
def test_every_tab_draws_a_model_without_positions_and_segments(shown, name):
    model = shown(name)
    assert model.described().startswith("ModernBERT, 4 layers, 2 heads, 16 ")
    for tab in TABS:
        if not tab.lacking(model):
            given = {field.name: field.value for field in tab.fields(model)}
            if tab.name == "fill_mask":
                given = {"text": "word1 <mask> word2"}
            assert "<" in tab.picture(tab.answer(model, **given)), tab.name


def test_attention_opens_as_the_picture_in_readme_shows_it(shown):
    (tab,) = [tab for tab in TABS if tab.name == "attention"]
    tiny = shown_model(str(keras_bert.TINY_MODEL))
    given = {field.name: field.value for field in tab.fields(tiny)}
    assert {"pair": "", "layer": 2, "head": 2}.items() <= given.items()
    picture = f"{tab.picture(tab.answer(tiny, **given))}"
    assert "Layer 2, head 2: entropy 2.11 bits" in picture


def test_the_page_describes_a_model_once(shown):
    tiny = shown_model(str(keras_bert.TINY_MODEL))
    header = f"{_header(tiny, [])}"
    assert tiny.described() in header
    assert header.count("<p") == 1
    bert = shown("bert")
    assert bert.name == bert.directory


@pytest.mark.parametrize(
    ("field", "text", "value"),
    [
        (TextField("a", "A", "first"), "a text", "a text"),
        (NumberField("a", "A", 1, 1, 4), "3", 3),
        (NumberField("a", "A", 1, 1, 4), "5", 1),
        (NumberField("a", "A", 1, 1, 4), "2.5", 1),
        (NumberField("a", "A", 0.5, 0.0, 1.0), "0.25", 0.25),
        (NumberField("a", "A", 0.5, 0.0, 1.0), "nan", 0.5),
        (ChoiceField("a", "A", "x", ("x", "y")), "y", "y"),
        (ChoiceField("a", "A", "x", ("x", "y")), "z", "x"),
    ],
)
def test_an_address_sets_what_a_field_can_have(field, text, value):
    assert field.asked(text) == value


def test_a_discriminator_judges_each_piece(shown):
    model = shown("electra")
    judged = judge_text(model, _TEXT)
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
    assert "1 of 7 pieces are taken" in judged_picture(judged)
    assert 'title="75.0 %"' in judged_picture(judged)


def test_shares_approach_80_10_10(shown):
    counts = masked(shown("bert"), num_draws=1000).counts
    total = sum(counts.values())
    assert total == 1000 * 4  # Half of 5 pieces and the special tokens.
    shares = {name: count / total for name, count in counts.items()}
    # One random piece in 18 is the original or [MASK] itself.
    assert shares == pytest.approx(
        {"masked": 0.8, "random": 0.1, "kept": 0.1}, abs=0.03
    )


def test_a_masked_text_can_be_put_together_again(shown):
    found = masked(shown("bert"), rate=1.0, seed=5)
    originals = [piece.original for piece in found.pieces]
    assert originals == ["[CLS]", *_TEXT.split(), "[SEP]"]
    outcomes = [piece.outcome for piece in found.pieces]
    assert outcomes[0] == outcomes[-1] == "plain"
    assert "plain" not in outcomes[1:-1]
    for piece in found.pieces:
        assert (piece.shown == "[MASK]") == (piece.outcome == "masked")
        assert (piece.probability is None) == (piece.outcome == "plain")


def test_the_seed_tells_the_draw_and_not_the_number_of_draws(shown):
    model = shown("bert")
    assert masked(model).pieces == masked(model, num_draws=7).pieces
    draws = {str(masked(model, seed=seed).pieces) for seed in range(6)}
    assert len(draws) > 1


def test_whole_words_are_masked_whole(shown):
    for seed in range(8):
        found = masked(shown("bert"), 0.4, "whole words", seed, text="the dogs")
        outcomes = [piece.outcome != "plain" for piece in found.pieces]
        tokens = [piece.original for piece in found.pieces]
        assert tokens == ["[CLS]", "the", "dog", "##s", "[SEP]"]
        assert outcomes[2] == outcomes[3]


def test_without_a_head_masking_shows_what_happens_only(shown):
    pieces = masked(shown("encoder")).pieces
    assert {piece.probability for piece in pieces} == {None}


@pytest.mark.parametrize("label", ["IsNext", "NotNext"])
def test_a_drawn_pair_is_what_was_asked_for(shown, label):
    follows = {"the dog eats .": "the cat sees ."}
    follows["a bird sees ."] = "a fish eats ."
    for seed in range(5):
        pair = draw_pair(shown("bert"), _DOCUMENTS, label, seed)
        words = " ".join(pair.tokens).removesuffix(" [SEP]")
        first, second = words.removeprefix("[CLS] ").split(" [SEP] ")
        # Sentences may have lost a piece at either end.
        is_next = any(first in a and second in b for a, b in follows.items())
        assert is_next == (label == "IsNext"), (first, second)
        assert pair.segments == sorted(pair.segments)
        assert sum(pair.probabilities.values()) == pytest.approx(1)


def test_the_page_says_whether_the_model_is_right():
    for label, said in (("IsNext", "right"), ("NotNext", "wrong")):
        shares = {"IsNext": 0.7, "NotNext": 0.3}
        pair = DrawnPair(["a"], [0], [], label, shares)
        assert f"The model says IsNext, and is {said}" in pair_picture(pair)


def test_a_drawn_pair_begins_with_words_and_says_where_it_was_cut(shown):
    documents = "dogs sees fish .\n" * 6
    num_cuts = 0
    for seed in range(20):
        text = f"{documents}\na dog .\na cat ."
        pair = draw_pair(shown("bert"), text, "IsNext", seed)
        ends = [x for x, token in enumerate(pair.tokens) if token == "[SEP]"]
        starts = [1, ends[0] + 1]
        assert not any(pair.tokens[x].startswith("##") for x in starts)
        expected = [x for x in starts if pair.tokens[x] not in ("dog", "a")]
        expected += [x for x in ends if pair.tokens[x - 1] != "."]
        assert sorted(pair.cuts) == sorted(expected)
        is_told = "it was cut there" in pair_picture(pair)
        assert is_told == bool(pair.cuts)
        num_cuts += len(pair.cuts)
    assert num_cuts


def test_byte_offsets_are_those_of_the_text(shown):
    text, pair = "Émile: the  DOG", "dogs"
    found = represent(shown("bert"), text, pair)
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


def test_the_sum_is_the_sum(shown):
    for piece in represent(shown("bert"), _TEXT).pieces:
        parts = [piece.vectors[x] for x in ("word", "position", "segment")]
        np.testing.assert_allclose(piece.vectors["sum"], sum(parts), atol=1e-6)
        cosines = [cosine for _, cosine in piece.nearest]
        assert cosines == sorted(cosines, reverse=True)
        assert piece.token not in dict(piece.nearest)


def test_entropy_is_between_none_and_that_of_all_alike(shown):
    found = attend(shown("bert"), _TEXT, "the cat", 2, 1)
    assert found.weights.shape == (2, 2, 10, 10)
    np.testing.assert_allclose(found.weights.sum(axis=-1), 1, atol=1e-5)
    assert (found.entropies > 0).all()
    assert (found.entropies < np.log2(10)).all()


def test_fillings_are_those_of_the_library(shown):
    model = shown("bert")
    assert fill(model, "the [MASK] eats") == model.fill_mask("the [MASK] eats")


def test_a_text_is_looked_at_both_ways(shown_beside):
    found = look_both_ways(
        shown_beside, "the dog [MASK] meat.", "the most probable", 1
    )
    assert (found.left, found.right) == ("the dog ", " meat.")
    (filled,) = fill(shown_beside, "the dog [MASK] meat.")
    assert [token for token, _ in found.filled] == [x["token"] for x in filled]
    # The most probable next piece is the first that it writes.
    assert found.written.startswith(found.next[0][0].removeprefix("##"))
    shares = [share for _, share in found.next]
    assert shares == sorted(shares, reverse=True)
    assert 0 < sum(shares) < 1
    drawn = {
        look_both_ways(shown_beside, "the dog [MASK] .", "drawn", seed).written
        for seed in range(4)
    }
    assert len(drawn) > 1


def test_only_the_left_side_counts_from_the_left(shown_beside):
    one, other = (
        look_both_ways(shown_beside, text, "the most probable", 1)
        for text in ("the dog [MASK] meat.", "the dog [MASK] a cat.")
    )
    assert (one.next, one.written) == (other.next, other.written)
    assert one.filled != other.filled


def test_a_fine_tuned_gpt_is_shown_with_the_tokens_of_its_head(
    directories, tmp_path
):
    classifier = TextClassifier.from_pretrained(
        directories["gpt"], labels=["good", "bad"]
    )
    classifier.save(tmp_path / "model")
    found = attend(ShownModel(str(tmp_path / "model")), "the dog")
    assert found.tokens == ["_start_", "the", "dog", "_classify_"]


def test_a_gpt_stands_beside_too(directories):
    beside = ShownModel(
        directories["bert"], left_to_right_dir=directories["gpt"]
    )
    found = look_both_ways(beside, "the [MASK] eats", "the most probable", 1)
    assert found.written.startswith(found.next[0][0].removeprefix("##"))
    with pytest.raises(ValueError, match="must have a token to go on from"):
        look_both_ways(beside, "\x01 [MASK]", "the most probable", 1)


def test_looking_both_ways_needs_two_models(shown, shown_beside, directories):
    assert LEFT_TO_RIGHT.lacking(shown_beside) == ""
    assert "left_to_right_dir" in LEFT_TO_RIGHT.lacking(shown("bert"))
    with pytest.raises(ValueError, match="that sees both"):
        ShownModel(directories["bert"], left_to_right_dir=directories["bert"])
    beside = ShownModel(
        directories["encoder"], left_to_right_dir=directories["left_to_right"]
    )
    assert LEFT_TO_RIGHT.lacking(beside) == "a masked-LM head"


@pytest.mark.parametrize(
    ("text", "choice", "seed", "sentence"),
    [
        ("the dog", "drawn", 1, r"Put one \[MASK\] into the text, and words"),
        ("the [MASK] [MASK]", "drawn", 1, r"Put one \[MASK\]"),
        (" [MASK] eats", "drawn", 1, "words before it"),
        ("", "drawn", 1, "The text is empty"),
        ("the [MASK]", "at random", 1, "the most probable, drawn"),
        ("the [MASK]", "drawn", -1, "The seed must be a number.*: -1"),
        ("the " * 40 + "[MASK]", "drawn", 1, "first 12 pieces"),
    ],
)
def test_what_is_not_looked_at_both_ways_gets_a_sentence(
    shown_beside, text, choice, seed, sentence
):
    with pytest.raises(ValueError, match=sentence):
        look_both_ways(shown_beside, text, choice, seed)


def test_a_text_is_most_like_itself(shown):
    model = shown("bert")
    assert compare_texts(model, _TEXT, _TEXT).cosine == pytest.approx(1)
    assert compare_texts(model, _TEXT, "fish").cosine < 0.999


def test_nearest_texts_on_the_map_are_the_most_alike(shown):
    found = map_texts(shown("bert"), "the dog\nmeat\n\nfish\nthe dog\n")
    assert found.texts == ["the dog", "meat", "fish", "the dog"]
    assert found.nearest[0][0] == (3, pytest.approx(1))
    np.testing.assert_allclose(found.places[0], found.places[3], atol=1e-5)
    assert 0 < sum(found.shares) <= 1 + 1e-6


def test_labels_are_those_of_the_library(shown):
    model = shown("classifier")
    found = label_text(model, _TEXT)
    row = model.task.probabilities([_TEXT])[0]
    assert [*found.probabilities.values()] == pytest.approx(row.tolist())
    assert found.tokens == ["[CLS]", *_TEXT.split(), "[SEP]"]
    assert found.shares[0] == found.shares[-1] == 0
    assert all(found.shares[1:-1])
    assert found.predicted == [model.task.predict([_TEXT])[0]["label"]]


def test_several_labels_or_none_are_given(shown):
    model, counts = shown("several"), set()
    for text in ("the dog", "meat", "fish eats", "a bird", "seeds", "cat ."):
        found = label_text(model, text)
        shares = found.probabilities.items()
        expected = {label for label, share in shares if share >= 0.5}
        assert {*found.predicted} == expected
        counts.add(len(expected))
    assert counts - {1}


def test_of_a_text_in_windows_all_is_labelled_and_some_is_hidden(shown):
    model, text = shown("windows"), "the dog eats meat . " * 4
    found = label_text(model, text)
    assert [*found.probabilities.values()] == pytest.approx(
        model.task.probabilities([text])[0].tolist()
    )
    assert found.note.endswith("shown for the first 12.")
    assert not label_text(model, _TEXT).note


def test_a_score_is_that_of_the_library(shown):
    found = label_text(shown("regressor"), _TEXT)
    (score,) = shown("regressor").task.predict([_TEXT])
    assert (found.score, found.chosen) == (pytest.approx(score), "score")


def test_an_answer_stands_in_its_context(shown):
    context = "the dog eats 🐟 fish"
    found = answer_question(shown("answerer"), "eats", context)
    assert context[found.start : found.end] == found.best[0][0]
    assert sum(share for _, share in found.best) == pytest.approx(1)


def test_a_question_without_an_answer_is_told_why(shown):
    found = answer_question(shown("unsure"), "eats", "the dog eats fish")
    assert found.start == found.end == 0
    assert "" in dict(found.best)
    assert found.note.endswith("by more than -100.00.")
    assert not answer_question(shown("answerer"), "eats", "the dog").note


def test_entities_stand_in_their_text(shown):
    found = tag_text(shown("tagger"), _TEXT)
    assert found.labels == ["PET"]
    for entity in found.entities:
        assert _TEXT[entity["start"] : entity["end"]] == entity["text"]


def test_choices_share_one_probability(shown):
    found = choose(shown("chooser"), "the dog", "eats\nsees\n")
    assert [choice for choice, _ in found] == ["eats", "sees"]
    assert sum(share for _, share in found) == pytest.approx(1)


def test_two_models_are_asked_the_same(shown, directories):
    ours, theirs = compare(
        shown("bert"), directories["encoder"], "Fill mask", "the [MASK]"
    )
    assert ours.answer == fill(shown("bert"), "the [MASK]")
    assert theirs.refusal == "Fill mask needs a masked-LM head."


def test_each_of_two_families_sees_its_own_mask(shown, directories):
    ours, theirs = compare(
        shown("bert"), directories["roberta"], "Fill mask", "word1 [MASK]"
    )
    assert ours.answer == fill(shown("bert"), "word1 [MASK]")
    assert theirs.answer == fill(shown("roberta"), "word1 <mask>")


def test_another_model_stands_there_at_first_or_the_way_to_one(shown):
    def directory(model):
        return comparison.TAB.fields(model)[0].value

    assert directory(shown("bert")) == str(keras_bert.TINY_MODEL)
    tiny = shown_model(str(keras_bert.TINY_MODEL))
    assert directory(tiny) in ("", "demo-output/bert")
    with pytest.raises(ValueError, match="such as demo-output/bert"):
        compare(tiny, "", "Attention", "a")


def test_two_models_are_asked_for_a_pair(shown, directories):
    ours, theirs = compare(
        shown("pairs"),
        directories["classifier"],
        "Classification",
        _TEXT,
        "the dog",
    )
    assert ours.answer == label_text(shown("pairs"), _TEXT, "the dog")
    assert "single texts, not pairs" in theirs.refusal


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (lambda m: masked(m, text=" \n"), "The text is empty"),
        (lambda m: masked(m, rate=0), "nothing is masked"),
        (lambda m: masked(m, rate=1.2), "from 0.0 to 1.0. Received: 1.2"),
        (lambda m: masked(m, rate=float("nan")), "Received: nan"),
        (lambda m: masked(m, seed="x"), "The seed must be a number.*: x"),
        (lambda m: masked(m, unit="lines"), "pieces, whole words"),
        (lambda m: masked(m, text="\x01\x02"), "no piece"),
        (lambda m: masked(m, text="a" * 20001), "20,000 char.*: 20,001"),
        (lambda m: masked(m, text="a\ud800"), "surrogate"),
        (lambda m: masked(m, text=7), "empty"),
        (lambda m: draw_pair(m, "the dog", "IsNext", 1), "blank line"),
        (lambda m: draw_pair(m, _DOCUMENTS, "Maybe", 1), "IsNext, NotNext"),
        (
            lambda m: draw_pair(m, "a\n\nthe", "IsNext", 1),
            "No pair that is IsNext",
        ),
        (lambda m: attend(m, _TEXT, "", 3, 1), "layer.* from 1 to 2.*: 3"),
        (lambda m: fill(m, "the dog"), r"^Put \[MASK\] into the text\.$"),
        (
            lambda m: fill(m, "the " * 12 + "[MASK]"),
            "front: .* first 12 pieces",
        ),
        (lambda m: map_texts(m, "a\nb"), "three texts.*: 2"),
        (lambda m: map_texts(m, "a\n" * 101), "most 100 lines.*: 101"),
        (lambda m: compare(m, "/no/such", "Attention", "a"), "'/no/such'"),
        (lambda m: compare(m, "/tmp", "Attention", "a"), "/tmp"),
        (lambda m: compare(m, 7, "Attention", "a"), "other directory is empty"),
        (lambda m: compare(m, "bert-base-uncased", "Attention", "a"), "none"),
        (lambda m: compare(m, "/tmp", "Weather", "a"), "Weather|one of"),
        (lambda m: compare(m, "/tmp", "Fill mask", "a", "b"), "one text"),
    ],
)
def test_what_has_no_answer_gets_a_sentence(shown, ask, sentence):
    with pytest.raises(ValueError, match=sentence):
        ask(shown("bert"))


@pytest.mark.parametrize(
    ("name", "pair", "sentence"),
    [("pairs", "", "Write a second text"), ("classifier", "a", "not pairs")],
)
def test_pairs_and_single_texts_are_told_apart(shown, name, pair, sentence):
    with pytest.raises(ValueError, match=sentence):
        label_text(shown(name), _TEXT, pair)


@pytest.mark.smoke("text0")
@pytest.mark.parametrize("text", ["🐟 " * 4, "ab" * 5000, "the dog " * 1250])
def test_long_and_strange_texts_have_answers(shown, text):
    model = shown("bert")
    assert masked(model, text=text, num_draws=5).pieces
    is_cut = len(text.split()) > 10
    assert bool(represent(model, text, text).note) == is_cut
    assert attend(model, text).tokens[0] == "[CLS]"
    assert compare_texts(model, text, text).cosine == pytest.approx(1)
    assert label_text(shown("classifier"), text).tokens
    assert answer_question(shown("answerer"), text, text).best
    assert tag_text(shown("tagger"), text).text == text
