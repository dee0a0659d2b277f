"""XLM-RoBERTa: RoBERTa of a hundred languages, with SentencePiece."""

import dataclasses

from keras_bert.models.families.roberta import model as roberta


@dataclasses.dataclass(frozen=True)
class XLMRobertaConfig(roberta.RobertaConfig):
    """Sizes and rates of an XLM-RoBERTa: those of `RobertaConfig`.

    References:
        [XLM-R](https://arxiv.org/abs/1911.02116), section 3
    """

    family = "XLM-RoBERTa"
    model_type = "xlm-roberta"
    transformers_defaults = {
        **roberta.RobertaConfig.transformers_defaults,
        "vocab_size": 30522,
    }


FAMILY = dataclasses.replace(
    roberta.FAMILY,
    config=XLMRobertaConfig,
    paper="1911.02116",
    tokenizer="sentencepiece",
)
