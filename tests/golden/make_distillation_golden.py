"""Write torch's losses between a student and its teacher.

`distillation.npz` comes from torch 2.13.0 on Python 3.11:

    pip install torch==2.13.0 numpy==2.4.6
    python tests/golden/make_distillation_golden.py

The losses are the ones in DistilBERT's distiller.py, over the tokens with
attention mask 1; the gradients are with respect to the student's outputs.
"""

import pathlib

import numpy as np
import torch

_TEMPERATURE = 2.0


def main():
    generator = torch.Generator().manual_seed(1)

    def draw(*shape):
        return 2 * torch.randn(*shape, generator=generator)

    arrays = {
        "student_logits": draw(2, 5, 7).requires_grad_(),
        "teacher_logits": draw(2, 5, 7),
        "student_states": draw(2, 5, 4).requires_grad_(),
        "teacher_states": draw(2, 5, 4),
        "mask": torch.tensor([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]]),
    }
    real = arrays["mask"] == 1
    divergence = torch.nn.KLDivLoss(reduction="batchmean")(
        torch.log_softmax(arrays["student_logits"][real] / _TEMPERATURE, -1),
        torch.softmax(arrays["teacher_logits"][real] / _TEMPERATURE, -1),
    )
    divergence = divergence * _TEMPERATURE**2
    states = arrays["student_states"][real], arrays["teacher_states"][real]
    ones = torch.ones(len(states[0]))
    cosine = torch.nn.CosineEmbeddingLoss(reduction="mean")(*states, ones)
    divergence.backward()
    cosine.backward()
    arrays |= {
        "divergence": divergence,
        "cosine": cosine,
        "logits_gradient": arrays["student_logits"].grad,
        "states_gradient": arrays["student_states"].grad,
    }
    arrays = {name: x.detach().numpy() for name, x in arrays.items()}
    path = pathlib.Path(__file__).with_name("distillation.npz")
    np.savez(path, **arrays)


if __name__ == "__main__":
    main()
