"""Write golden outputs of Hugging Face's Longformer, `hf_longformer.npz`.

Needs torch and transformers, which are not dependencies of the project:

    pip install torch==2.13.0 transformers==5.24.0 numpy==2.4.6
    python tests/golden/make_longformer_golden.py

The keys are as in `make_golden.py`, and `outputs/global/<length>/<number>`:
the last states of rows of some lengths with 0, 1 or 3 global tokens.
"""

import numpy as np
import transformers
from hugging_face_golden import answer_of
from hugging_face_golden import draw_widely
from hugging_face_golden import states_of
from hugging_face_golden import weights_of
from hugging_face_golden import write_with_tasks

_SEED = 2004
_PAD, _SEP = 1, 2
_WINDOW = 8
_CONFIG = {
    **{"vocab_size": 275, "hidden_size": 16, "num_attention_heads": 4},
    **{"num_hidden_layers": 2, "intermediate_size": 32},
    **{"attention_window": [_WINDOW, 4], "hidden_act": "gelu_new"},
    **{"max_position_embeddings": 24 + _PAD + 1, "type_vocab_size": 1},
    **{"layer_norm_eps": 1e-5, "architectures": ["LongformerForMaskedLM"]},
}
_TASKS = (
    transformers.LongformerForSequenceClassification,
    transformers.LongformerForTokenClassification,
    transformers.LongformerForQuestionAnswering,
    transformers.LongformerForMultipleChoice,
)


def _inputs(lengths):
    """Return rows with one pair each; tasks need three separators in a row."""
    random = np.random.default_rng(_SEED + 1)
    lengths = np.array(lengths)[:, np.newaxis]
    mask = np.arange(lengths.max()) < lengths
    ids = np.where(mask, random.integers(4, 270, mask.shape), _PAD)
    ids[:, 0] = 0
    for row, length in zip(ids, lengths[:, 0]):
        row[[length // 3, length // 3 + 1, length - 1]] = _SEP
    return {
        "input_ids": ids.astype(np.int32),
        "attention_mask": mask.astype(np.int32),
    }


def _with_global_tokens(model):
    outputs = {}
    for length in (_WINDOW - 1, _WINDOW, _WINDOW + 1, 2 * _WINDOW + 3):
        ids = (4 + np.arange(length) ** 2 % 37)[np.newaxis].astype(np.int32)
        row = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
        for number in (0, 1, 3):
            is_global = np.zeros_like(ids)
            is_global[:, [0, length - 1, 3][:number]] = 1
            answer = answer_of(
                model, {**row, "global_attention_mask": is_global}
            )
            states = answer.last_hidden_state[0].numpy()
            outputs[f"global/{length}/{number}"] = states
    return outputs


def main():
    config = transformers.LongformerConfig(**_CONFIG)
    model = draw_widely(transformers.LongformerForMaskedLM(config), _SEED)
    # The masked-LM model has no pooler.
    whole = transformers.LongformerModel(config)
    whole = draw_widely(whole, _SEED + 2)
    whole.load_state_dict(model.longformer.state_dict(), strict=False)
    weights = {f"longformer.{k}": x for k, x in weights_of(whole).items()}
    inputs = _inputs((24, 15, 10, 19))
    answer = answer_of(model, inputs, output_hidden_states=True)
    pooled = answer_of(whole, inputs).pooler_output
    outputs = {
        "logits": answer.logits.numpy(),
        "pooler_output": pooled.numpy(),
        **states_of(answer),
        **_with_global_tokens(whole),
    }
    weights |= weights_of(model)
    groups = {"weights": weights, "inputs": inputs, "outputs": outputs}
    write_with_tasks("hf_longformer", config, **groups, tasks=_TASKS)


if __name__ == "__main__":
    main()
