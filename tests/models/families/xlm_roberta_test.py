from keras_bert.models.families.xlm_roberta.model import FAMILY


def test_pairs_are_laid_out_as_roberta_does():
    layout = [word for word, _ in FAMILY.template.layout(is_pair=True)]
    assert len(layout) == 6
