"""Models of a server that are SavedModels."""

import json
import pathlib
import typing
from collections.abc import Sequence

import numpy as np

from keras_bert.lazy_tensorflow import tf
from keras_bert.serve.model import OUTPUTS
from keras_bert.serve.model import Model
from keras_bert.serve.model import check_request_settings
from keras_bert.serve.model import check_served
from keras_bert.serve.model import exported_prompt
from keras_bert.serve.model import piece_weights
from keras_bert.serve.model import reading

_TOKENS = "tokens"


class SavedModel(Model):
    """SavedModel of `export_saved_model`, computed by TensorFlow.

    Args:
        directory: one version of the SavedModel.
        num_threads: number of threads, or None.

    Raises:
        ValueError: the model cannot be served.
    """

    def __init__(self, directory: pathlib.Path, num_threads: int | None = None):
        with reading(directory):
            path = directory / "export_manifest.json"
            manifest = json.loads(path.read_text())
            self.task, self.settings = manifest["task"], manifest["settings"]
            signatures = manifest["signatures"]
            self.labels = self.settings.get("labels")
            check_request_settings(self)
        check_served(self.task, directory)
        if _TOKENS not in signatures:
            raise ValueError(
                f"{directory} was exported by an earlier version of this "
                "library, without the signature `tokens`. Export it again."
            )
        import tensorflow_text  # noqa: F401, registers the tokenizer's ops

        if num_threads:
            tf.config.threading.set_intra_op_parallelism_threads(num_threads)
        self._names = [*signatures[_TOKENS]["inputs"]]
        with reading(directory):
            self._model = tf.saved_model.load(str(directory))

    def num_tokens(self, texts: list, role: str) -> list[int]:
        mask = self._run(_TOKENS, texts, role)["input_mask"]
        return mask.sum(axis=-1).tolist()

    def text_of(self, ids: list[int]) -> str:
        raise ValueError("A SavedModel takes texts, not token ids.")

    def compute(self, texts: list, role: str) -> Sequence[typing.Any]:
        outputs = self._run("serving_default", texts, role)
        if self.task == "SparseEmbedder":
            return piece_weights(outputs["piece_ids"], outputs["weights"])
        return [*outputs[OUTPUTS[self.task]]]

    def _run(
        self, signature: str, texts: list, role: str
    ) -> dict[str, np.ndarray]:
        prompt = exported_prompt(self.settings, role)
        is_single = len(self._names) == 1
        columns = [texts] if is_single else zip(*texts, strict=True)
        inputs = {
            name: tf.constant([prompt + text for text in column], tf.string)
            for name, column in zip(self._names, columns, strict=True)
        }
        outputs = self._model.signatures[signature](**inputs)
        return {name: tensor.numpy() for name, tensor in outputs.items()}
