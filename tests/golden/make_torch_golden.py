"""Write files saved by torch, which tests read without torch.

The files in `torch` come from torch 2.13.0 and numpy 2.4.6 on Python 3.11:

    pip install torch==2.13.0 numpy==2.4.6
    python tests/golden/make_torch_golden.py

The program writes `zip.bin` (the format since torch 1.6) and `legacy.bin` (the
format before), both with the same tensors, and `expected.npz` with the values.
"""

import collections
import pathlib

import numpy as np
import torch

_DIRECTORY = pathlib.Path(__file__).resolve().parent / "torch"


def make_tensors():
    """Return tensors of all supported kinds, and other values."""
    matrix = torch.arange(6, dtype=torch.float32).reshape(2, 3) / 8
    tensors = collections.OrderedDict(
        float32=matrix,
        tied=matrix,
        transposed=matrix.t(),
        part=matrix[1:, :2],
        float16=matrix.half(),
        bfloat16=matrix.bfloat16(),
        float64=matrix.double() + 1,
        scalar=torch.tensor(2.5),
        empty=torch.zeros(0, 3),
        repeated=torch.arange(3.0)[None].expand(1, 3),
        parameter=torch.nn.Parameter(matrix + 2),
        int64=torch.arange(4),
        step=7,
    )
    tensors._metadata = collections.OrderedDict({"": {"version": 1}})
    return tensors


def main():
    _DIRECTORY.mkdir(exist_ok=True)
    tensors = make_tensors()
    torch.save(tensors, _DIRECTORY / "zip.bin")
    torch.save(
        tensors,
        _DIRECTORY / "legacy.bin",
        _use_new_zipfile_serialization=False,
    )
    arrays = {
        name: value.detach().float().numpy()
        for name, value in tensors.items()
        if torch.is_tensor(value) and value.is_floating_point()
    }
    np.savez_compressed(_DIRECTORY / "expected.npz", **arrays)


if __name__ == "__main__":
    main()
