from keras_bert import from_pretrained
from keras_bert import save_pretrained
from keras_bert.checkpoints import PretrainedModel
from keras_bert.models.families.xlm_roberta.model import FAMILY
from tests import tiny


def test_pairs_are_laid_out_as_roberta_does():
    layout = [word for word, _ in FAMILY.template.layout(is_pair=True)]
    assert len(layout) == 6


def test_a_bert_may_have_its_tokenizer(make_settings_of, tmp_path):
    """Check the combination of multilingual-e5-small."""
    settings = make_settings_of("xlm-roberta")
    bert = PretrainedModel.from_config(tiny.config("bert", V=40), settings)
    for format in ("keras", "hf"):
        save_pretrained(bert, tmp_path / format, format=format)
        read = from_pretrained(tmp_path / format)
        assert read.tokenizer.vocabulary.tokens[:2] == ("<s>", "<pad>")
        ids = read.tokenizer(["word1 word2"]).to_list()
        assert ids == bert.tokenizer(["word1 word2"]).to_list()
