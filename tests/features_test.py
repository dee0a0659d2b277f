import pytest

from keras_bert import features

_PUBLISHED = {
    "input_ids": ("int64", "max_seq_length"),
    "input_mask": ("int64", "max_seq_length"),
    "segment_ids": ("int64", "max_seq_length"),
    "masked_lm_positions": ("int64", "max_predictions_per_seq"),
    "masked_lm_ids": ("int64", "max_predictions_per_seq"),
    "masked_lm_weights": ("float32", "max_predictions_per_seq"),
    "next_sentence_labels": ("int64", "1"),
}


def names(some_features):
    return [feature.name for feature in some_features]


def test_features_are_those_of_google_research_bert():
    assert names(features.PRETRAINING_FEATURES) == [*_PUBLISHED]
    for feature in features.PRETRAINING_FEATURES:
        assert (feature.dtype, feature.length) == _PUBLISHED[feature.name]


def test_lengths_are_those_given_or_up_to_each_record():
    lengths = {"max_seq_length": 128, "max_predictions_per_seq": 20}
    assert features.INPUT_IDS.num_values(lengths) == 128
    assert features.MASKED_LM_IDS.num_values(lengths) == 20
    assert features.NEXT_SENTENCE_LABELS.num_values({}) == 1
    assert features.WORD_STARTS.num_values(lengths) is None


@pytest.mark.parametrize("form", ["static", "dynamic"])
def test_a_form_is_told_by_what_it_holds(form):
    held = names(features.FORMS[form])
    assert features.form_of(held) == form
    for name in held:
        some = [other for other in held if other != name]
        assert features.form_of([*some, "extra"]) == form
    assert features.form_of(["input_ids", "next_sentence_labels"]) is None
