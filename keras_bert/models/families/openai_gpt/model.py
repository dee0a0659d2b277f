"""GPT-1: BERT's blocks with causal attention."""

import dataclasses

from keras_bert.layers.embeddings.token_embeddings import PlainEmbeddings
from keras_bert.layers.heads.tied_head import LMHead
from keras_bert.models.families.openai_gpt.config import OpenAIGPTConfig
from keras_bert.models.family import Family
from keras_bert.models.layer_arguments import layer_arguments
from keras_bert.models.layer_arguments import transformer_backbone
from keras_bert.models.task_model import HeadKind
from keras_bert.template import Template


def openai_gpt_backbone(config):
    """Build the layers of the model."""
    arguments = layer_arguments(config)
    embeddings = {**arguments["embeddings"], "dropout": config.embd_pdrop}
    del embeddings["layer_norm_epsilon"]
    embeddings = PlainEmbeddings(**embeddings, name="embeddings")
    return transformer_backbone(config, arguments, embeddings, pools=False)


def openai_gpt_heads(config, embeddings):
    """Return a dict mapping the part name to the language modeling head."""
    return {"masked_lm_head": LMHead(embeddings, name="masked_lm_head")}


# Section 3.3 of the paper, with the token names of its code. The last token
# represents the text. Section 4.1 sets the auxiliary loss weight to 0.5.
_TASK_HEAD = HeadKind(
    "last_token",
    template=Template(
        "_start_ A _classify_",
        "_start_ A _delimiter_ B _classify_",
        "unknown",
        segments=False,
    ),
    language_model_weight=0.5,
)

FAMILY = Family(
    config=OpenAIGPTConfig,
    backbone=openai_gpt_backbone,
    heads=openai_gpt_heads,
    paper="https://openai.com/research/language-unsupervised",
    parts=("masked_lm_head",),
    task_heads={
        "classifier": _TASK_HEAD,
        "token_classifier": HeadKind("sequence_output"),
        "choice_scorer": dataclasses.replace(
            _TASK_HEAD, published_class="DoubleHeadsModel"
        ),
        "span_classifier": HeadKind("sequence_output"),
    },
    # No special tokens. Padding is masked.
    template=Template("A", "A B", "unknown", segments=False),
    tokenizer="bpe",
    published_keys={"afn": "gelu"},
)
