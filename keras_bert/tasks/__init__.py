"""One file per task: from texts to what a user wants to know."""

from keras_bert.tasks.fill_mask import FillMask
from keras_bert.tasks.text_embedder import TextEmbedder
from keras_bert.tasks.text_encoder import TextEncoder

__all__ = ["FillMask", "TextEmbedder", "TextEncoder"]
