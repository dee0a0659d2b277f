"""Shared code of the programs that write golden files of Hugging Face.

They need torch and transformers, which are not dependencies of the project:

    pip install torch==2.13.0 transformers==5.23.0 numpy==2.4.6
"""

import os
import pathlib

import numpy as np
import torch

_HERE = pathlib.Path(__file__).resolve().parent
_STDDEV = 0.3


def draw_widely(model, seed, stddev=_STDDEV):
    """Redraw every weight in place and return the model.

    With the usual deviation of 0.02, a wrong activation or a swapped bias would
    not be visible, so gains and biases are drawn widely too.
    """
    model = model.float().eval()
    random = np.random.default_rng(seed)
    with torch.no_grad():
        # Tied weights appear once among the parameters.
        for name, parameter in sorted(model.named_parameters()):
            is_gain = name.endswith(("norm.weight", "Norm.weight"))
            values = random.normal(
                float(is_gain), stddev, tuple(parameter.shape)
            )
            parameter.copy_(torch.from_numpy(values))
    return model


def draw_gpt_widely(model, seed):
    """Redraw every weight; GPT-1 calls its gains ln_1.weight."""
    model = draw_widely(model, seed)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if ".ln_" in name and name.endswith("weight"):
                parameter += 1
    return model


def padded_rows(mask, seed, low, high, padding=0):
    """Return random ids and their mask, int32 arrays by name."""
    ids = np.random.default_rng(seed).integers(low, high, mask.shape)
    rows = {"input_ids": np.where(mask, ids, padding), "attention_mask": mask}
    return {name: value.astype(np.int32) for name, value in rows.items()}


def weights_of(model):
    """Return the arrays of a model by name."""
    return {k: v.numpy().copy() for k, v in model.state_dict().items()}


def answer_of(model, inputs, **arguments):
    """Return the float64 outputs of a model without changing its weights."""
    tensors = {k: torch.from_numpy(v).long() for k, v in inputs.items()}
    torch.set_num_threads(1)  # With more threads, the order of sums can vary.
    with torch.no_grad():
        answer = model.double()(**tensors, **arguments)
    model.float()
    return answer


def states_of(answer):
    """Return the hidden states by name, starting with the embeddings."""
    return {
        f"hidden_states/{index}": states.numpy()
        for index, states in enumerate(answer.hidden_states)
    }


def write_golden(name, config, **groups):
    """Write `<name>.npz` next to this file atomically.

    Args:
        name: str.
        config: config of transformers, stored under the key `config`.
        **groups: dicts of arrays by name; their keys become
            `<group>/<name>`. float64 arrays are rounded to float32.
    """
    arrays = {
        f"{group}/{key}": _rounded(value)
        for group, values in groups.items()
        for key, value in values.items()
    }
    arrays["config"] = np.array(config.to_json_string())
    path = _HERE / f"{name}.npz"
    temporary = path.with_name(path.name + ".tmp")
    with open(temporary, "wb") as file:
        np.savez_compressed(file, **arrays)
    os.replace(temporary, path)


def _rounded(array):
    is_wide = array.dtype == np.float64
    return array.astype(np.float32) if is_wide else array


def write_with_tasks(name, config, weights, inputs, outputs, tasks):
    """Call `write_golden` with task heads on the same encoder.

    The groups are `weights`, `inputs`, `outputs`, and for each class of
    `tasks` the head's `<class>/<name in the state dict>` and
    `<class>/logits`. Question answering concatenates start and end; multiple
    choice has the rows in pairs.
    """
    groups = {"weights": weights, "inputs": inputs, "outputs": outputs}
    for seed, task in enumerate(tasks):
        model = draw_widely(task(config), seed)
        _, unknown = model.load_state_dict(_tensors(weights), strict=False)
        head = {k: v for k, v in weights_of(model).items() if k not in weights}
        assert head and not [k for k in unknown if "encoder" in k]
        rows = inputs
        if "MultipleChoice" in task.__name__:
            rows = {k: v.reshape(-1, 2, v.shape[1]) for k, v in inputs.items()}
        groups[task.__name__] = {**head, "logits": _logits(model, rows)}
    write_golden(name, config, **groups)


def _logits(model, rows):
    answer = answer_of(model, rows)
    if "logits" in answer:
        return answer.logits.numpy()
    ends = (answer.start_logits.numpy(), answer.end_logits.numpy())
    return np.stack(ends, axis=-1)


def _tensors(arrays):
    return {name: torch.from_numpy(array) for name, array in arrays.items()}
