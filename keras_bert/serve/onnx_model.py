"""Models of a server that were exported to ONNX."""

import json
import pathlib
import typing
from collections.abc import Sequence

import numpy as np

from keras_bert import lazy
from keras_bert.serve.model import Model
from keras_bert.serve.model import check_request_settings
from keras_bert.serve.model import check_served
from keras_bert.serve.model import exported_prompt
from keras_bert.serve.model import piece_weights
from keras_bert.serve.model import reading
from keras_bert.serve.model import text_of_ids


class OnnxModel(Model):
    """Model that was exported by `export_onnx`, computed by ONNX Runtime.

    Args:
        directory: the exported directory.
        num_threads: number of threads, or None.
    """

    def __init__(self, directory: pathlib.Path, num_threads: int | None = None):
        with reading(directory):
            manifest = json.loads((directory / "manifest.json").read_text())
            self.task, self.labels = manifest["task"], manifest["labels"]
            self.settings = manifest["settings"]
            self._inputs = [*manifest["inputs"]]
            check_request_settings(self)
        check_served(self.task, directory)
        if "attention_mask" not in self._inputs:
            raise ValueError(
                "A served ONNX model must have the names of Hugging Face. "
                f"Received: {directory}, inputs {self._inputs}. Export "
                'it without `names="keras_bert"`.'
            )
        runtime = lazy.import_package("onnxruntime", "Serving ONNX models")
        tokenizers = lazy.import_package("tokenizers", "Serving ONNX models")
        options = runtime.SessionOptions()
        options.intra_op_num_threads = num_threads or 0  # 0: all cores.
        with reading(directory):
            path = str(directory / "tokenizer.json")
            self._tokenizer = tokenizers.Tokenizer.from_file(path)
            self._tokenizer.encode_batch(["a", ("a", "a")])  # Finds errors.
            self._session = runtime.InferenceSession(
                directory / "model.onnx", options
            )

    def num_tokens(self, texts: list, role: str) -> list[int]:
        rows = self._rows(texts, role)
        return [sum(row.attention_mask) for row in rows]

    def text_of(self, ids: list[int]) -> str:
        return text_of_ids(
            ids,
            self._tokenizer.get_vocab_size(),
            self._tokenizer.decode,
            lambda x: self._tokenizer.encode(x, add_special_tokens=False).ids,
        )

    def compute(self, texts: list, role: str) -> Sequence[typing.Any]:
        rows = self._rows(texts, role)
        values = {
            "input_ids": [row.ids for row in rows],
            "attention_mask": [row.attention_mask for row in rows],
            "token_type_ids": [row.type_ids for row in rows],
        }
        feeds = {
            name: np.array(values[name], np.int64) for name in self._inputs
        }
        names = [output.name for output in self._session.get_outputs()]
        outputs: dict[str, typing.Any] = dict(
            zip(names, self._session.run(names, feeds), strict=True)
        )
        if self.task == "TextEmbedder":
            return outputs["sentence_embedding"]
        if self.task == "TextClassifier":
            return outputs["probabilities"]
        if self.task == "PairRanker":
            return self._scores(outputs["logits"][:, 0]).tolist()
        return piece_weights(outputs["piece_ids"], outputs["weights"])

    def _scores(self, logits: np.ndarray) -> np.ndarray:
        is_sigmoid = self.settings["activation"] == "sigmoid"
        return 1 / (1 + np.exp(-logits)) if is_sigmoid else logits

    def _rows(self, texts: list, role: str) -> list:
        prompt = exported_prompt(self.settings, role)
        if prompt:
            texts = [prompt + text for text in texts]
        return self._tokenizer.encode_batch(texts)
