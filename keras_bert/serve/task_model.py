"""Models of a server that are tasks of this library."""

import itertools
import typing
from collections.abc import Sequence

import keras

from keras_bert.lazy_tensorflow import tf
from keras_bert.serve.model import DOCUMENT
from keras_bert.serve.model import DOCUMENT_PROMPTS
from keras_bert.serve.model import QUERY
from keras_bert.serve.model import Model
from keras_bert.serve.model import check_served
from keras_bert.serve.model import text_of_ids
from keras_bert.tasks import load_any_task
from keras_bert.tasks.columns import checked_texts
from keras_bert.tasks.training.encoded import tokenized_rows
from keras_bert.typing import Path


class TaskModel(Model):
    """Task that is computed by Keras.

    Args:
        directory: a saved task, or a directory of sentence-transformers or
            Hugging Face. An encoder is served as a `TextEmbedder`.
        num_threads: number of threads, or None.
    """

    def __init__(self, directory: Path, num_threads: int | None = None):
        if num_threads and keras.backend.backend() == "tensorflow":
            tf.config.threading.set_intra_op_parallelism_threads(num_threads)
        self._task = load_any_task(directory, default="text_embedder")
        self.task = type(self._task).__name__
        check_served(self.task, directory)
        self.settings = self._task.settings
        self.labels = getattr(self._task, "labels", None)

    def num_tokens(self, texts: list, role: str) -> list[int]:
        if "Embedder" not in self.task:
            return self._task._encode(texts).rows.lengths.tolist()
        prompts = self._task.prompts
        names = {
            QUERY: prompts.first_of(QUERY),
            DOCUMENT: prompts.first_of(*DOCUMENT_PROMPTS),
            "": None,
        }
        preprocess = self._task.preprocess.with_prompt(
            prompts.named(names[role])
        )
        return tokenized_rows(preprocess, checked_texts(texts)).lengths.tolist()

    def text_of(self, ids: list[int]) -> str:
        tokenizer = self._task.preprocess.tokenizer
        return text_of_ids(
            ids,
            len(tokenizer.vocabulary),
            tokenizer.detokenize,
            lambda text: tokenizer([text])[0].numpy().tolist(),
        )

    def compute(self, texts: list, role: str) -> Sequence[typing.Any]:
        task = self._task
        if "Embedder" in self.task:
            embed = {
                QUERY: task.embed_query,
                DOCUMENT: task.embed_document,
                "": task.embed,
            }[role]
            embeddings = embed(texts)
            if self.task == "TextEmbedder":
                return embeddings
            bounds = itertools.pairwise(embeddings.indptr.tolist())
            ids, weights = embeddings.indices.tolist(), embeddings.data.tolist()
            return [
                dict(zip(ids[start:stop], weights[start:stop], strict=True))
                for start, stop in bounds
            ]
        if self.task == "PairRanker":
            return task.predict(texts)
        return task.outputs.probabilities(task._logits(task._encode(texts)))
