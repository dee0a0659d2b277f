"""XLM-RoBERTa: multilingual RoBERTa with a SentencePiece tokenizer."""

import dataclasses

from keras_bert.models.families.roberta import model as roberta


@dataclasses.dataclass(frozen=True)
class XLMRobertaConfig(roberta.RobertaConfig):
    """Configuration of an XLM-RoBERTa model, see `RobertaConfig`.

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
