"""Write a tiny model of PyLate with its vectors, and PyLate's losses.

`pylate/` and `pylate.npz` come from pylate 1.6.0 with torch 2.13.0:

    pip install pylate==1.6.0 torch==2.13.0
    python tests/golden/make_pylate_golden.py

`losses/...` are losses with their gradients with respect to the token vectors,
float32 `(batch_size, num_texts, num_vectors, dim)`, padded with zeros. All dot
products are positive, because PyLate compares padding as 0 in losses.
"""

import json
import pathlib
import shutil
import tempfile

import numpy as np
import torch
import transformers
from pylate import losses
from pylate import models

_FOLDER = pathlib.Path(__file__).with_name("pylate")
_PIECES = "[PAD] [UNK] [CLS] [SEP] [MASK] the a cat dog ##s sees . , !".split()
TEXTS = ["the cat sees a dog.", "a, dogs!", "the", "a cat " * 20]
_BATCH, _DIM = 5, 7


def _write_model():
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory, "vocab.txt")
        path.write_text("\n".join(_PIECES) + "\n")
        transformers.BertTokenizerFast(str(path)).save_pretrained(directory)
        config = transformers.BertConfig(
            vocab_size=len(_PIECES),
            hidden_size=16,
            num_hidden_layers=2,
            num_attention_heads=2,
            intermediate_size=24,
            max_position_embeddings=24,
        )
        transformers.BertModel(config).save_pretrained(directory)
        model = models.ColBERT(
            directory,
            device="cpu",
            embedding_size=8,
            query_length=12,
            document_length=20,
        )
    with torch.no_grad():
        for weight in model.parameters():
            weight.normal_(0, 0.3)
    shutil.rmtree(_FOLDER, ignore_errors=True)
    model.save_pretrained(str(_FOLDER), create_model_card=False)
    return models.ColBERT(str(_FOLDER), device="cpu")


class _Vectors(torch.nn.Module):
    """Model whose input is the vectors of the tokens."""

    skiplist = ()
    do_query_expansion = False

    def forward(self, features):
        return {"token_embeddings": features["vectors"]}


def _losses(random):
    model = _Vectors()
    cases = {
        "contrastive": (losses.Contrastive(model), 2),
        "negatives": (losses.Contrastive(model, temperature=0.5), 4),
        "distillation": (losses.Distillation(model), 4),
        "plain_distillation": (
            losses.Distillation(model, normalize_scores=False),
            4,
        ),
    }
    arrays = {}
    for name, (loss, num_texts) in cases.items():
        lengths = random.integers(1, 7, (_BATCH, num_texts))
        mask = np.arange(6) < lengths[..., None]  # [B, T, W]
        vectors = np.abs(random.normal(size=(*mask.shape, _DIM)))
        vectors /= np.linalg.norm(vectors, axis=-1, keepdims=True)
        vectors = (vectors * mask[..., None]).astype(np.float32)
        leaf = torch.tensor(vectors, requires_grad=True)
        mask = torch.tensor(mask.astype(int))
        texts = [(leaf[:, n], mask[:, n]) for n in range(num_texts)]
        arguments = ()
        if "distillation" in name:
            labels = random.normal(size=(_BATCH, num_texts - 1))
            labels = labels.astype(np.float32)
            arrays[f"losses/{name}/labels"] = labels
            arguments = (torch.tensor(labels),)
            texts = [texts[0], (leaf[:, 1:], mask[:, 1:])]
            texts[1] = [x.reshape(-1, *x.shape[2:]) for x in texts[1]]
        features = [
            {"vectors": x, "attention_mask": y, "input_ids": y}
            for x, y in texts
        ]
        value = loss(features, *arguments)
        value.backward()
        arrays[f"losses/{name}/embeddings"] = vectors
        arrays[f"losses/{name}/loss"] = value.detach().numpy()
        arrays[f"losses/{name}/gradient"] = leaf.grad.numpy()
    return arrays


def main():
    model = _write_model()
    arrays = _losses(np.random.default_rng(3))
    for name, is_query in (("query", True), ("document", False)):
        encoded = model.encode(TEXTS, is_query=is_query)
        for index, vectors in enumerate(encoded):
            arrays[f"{name}/{index}"] = vectors
    np.savez_compressed(_FOLDER.with_suffix(".npz"), **arrays)
    settings = _FOLDER / "config_sentence_transformers.json"
    print(json.loads(settings.read_text())["__version__"])


if __name__ == "__main__":
    main()
