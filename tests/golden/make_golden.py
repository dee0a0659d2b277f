"""Write golden outputs of models of Hugging Face.

Needs torch and transformers, which are not dependencies of the project:

    pip install torch==2.13.0 transformers==5.24.0 numpy==2.4.6
    python tests/golden/make_golden.py albert deberta ...

Each name of `_MAKERS` writes `hf_<name>.npz`. Every seed is fixed. Keys:
`weights/<name in the state dict>`, `inputs/...`, `outputs/...`, `config`, the
text of a Hugging Face `config.json`, and for each head of a task
`<class>/<name in the state dict>` and `<class>/logits`. Activations differ
between blocks and heads where a config lets them. Longformer also has
`outputs/global/<length>/<number>`: the last states of rows of some lengths with
0, 1 or 3 global tokens.
"""

import sys

import numpy as np
import torch
import transformers
from hugging_face_golden import answer_of
from hugging_face_golden import draw_gpt_widely
from hugging_face_golden import draw_widely
from hugging_face_golden import padded_rows
from hugging_face_golden import states_of
from hugging_face_golden import weights_of
from hugging_face_golden import write_with_tasks

_TASKS = (
    *("ForSequenceClassification", "ForTokenClassification"),
    *("ForQuestionAnswering", "ForMultipleChoice"),
)
_OF_PAIRS = "sop_logits", "seq_relationship_logits"
_EAGER = {"attn_implementation": "eager"}
_SIZES = {
    **{"hidden_size": 16, "num_attention_heads": 4, "intermediate_size": 32},
    **{"max_position_embeddings": 16, **_EAGER},
}
# As many distances as in the published DeBERTa.
_DEBERTA = {
    **{"hidden_size": 8, "num_hidden_layers": 2, "num_attention_heads": 2},
    **{"intermediate_size": 16, "hidden_act": "gelu_new"},
    **{"max_position_embeddings": 512, "relative_attention": True},
    **{"pos_att_type": "p2c|c2p", "position_biased_input": False},
    **{"max_relative_positions": -1, "type_vocab_size": 0},
    **{"layer_norm_eps": 1e-7, "legacy": False, **_EAGER},
}
_PAD, _SEP = 1, 2
_LONG = 150  # Longer than the largest distance that MPNet distinguishes.
_ROBERTA = {
    **_SIZES,
    **{"num_hidden_layers": 2, "hidden_act": "gelu_new"},
    **{"max_position_embeddings": 12 + _PAD + 1, "type_vocab_size": 1},
    "layer_norm_eps": 1e-5,
}
_MPNET = {**_ROBERTA, "max_position_embeddings": _LONG + _PAD + 1}
del _MPNET["type_vocab_size"]
_WINDOW = 8
_BERT = {**_SIZES, "vocab_size": 40, "num_hidden_layers": 2}
_SMALL_BERT = {
    **{**_BERT, "hidden_size": 8, "num_attention_heads": 2},
    "intermediate_size": 16,
}
_LABELS = ["O", "B-PER", "I-PER"]
_TAGGER = {
    **_SMALL_BERT,
    "id2label": dict(enumerate(_LABELS)),
    "label2id": {label: index for index, label in enumerate(_LABELS)},
}
# For each file, the prefix of its classes, the seed and the config.
_CONFIGS = {
    "gelu": ("Bert", 1810, {**_SMALL_BERT, "hidden_act": "gelu"}),
    "gelu_new": ("Bert", 1810, {**_SMALL_BERT, "hidden_act": "gelu_new"}),
    "multiple_choice": ("Bert", 2017, _TAGGER),
    "question_answering": ("Bert", 1606, _BERT),
    "token_classification": ("Bert", 2017, _TAGGER),
    # A group runs twice; each of its two blocks returns hidden states.
    "albert": (
        *("Albert", 1909),
        {
            **{"vocab_size": 40, "embedding_size": 8, "num_hidden_layers": 3},
            **{"num_hidden_groups": 2, "inner_group_num": 2, **_SIZES},
        },
    ),
    # Without dropout, because only `train()` draws the random blocks.
    "big_bird": (
        *("BigBird", 2007),
        {
            **{**_SIZES, "vocab_size": 41, "num_hidden_layers": 2},
            **{"max_position_embeddings": 1032, "block_size": 4},
            **{"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0},
            "random_blocks": "transformers_eval",
        },
    ),
    "deberta": ("Deberta", 2006, {"vocab_size": 275, **_DEBERTA}),
    "deberta-v2": (
        *("DebertaV2", 2006),
        {
            **{"vocab_size": 40, "position_buckets": 256},
            **{"norm_rel_ebd": "layer_norm", "share_att_key": True},
            **{"conv_kernel_size": 3, "conv_act": "gelu", **_DEBERTA},
        },
    ),
    "distilbert": (
        *("DistilBert", 1910),
        {
            **{"vocab_size": 40, "dim": 16, "n_layers": 3, "n_heads": 4},
            **{"hidden_dim": 32, "max_position_embeddings": 16, **_EAGER},
        },
    ),
    # The heads of generator and discriminator share one encoder.
    "electra": (
        *("Electra", 2003),
        {
            **{"vocab_size": 40, "embedding_size": 8, "num_hidden_layers": 3},
            **{"hidden_act": "gelu_new", **_SIZES},
        },
    ),
    "ernie": (
        *("Ernie", 1904),
        {
            **{"vocab_size": 40, "num_hidden_layers": 3, "hidden_act": "relu"},
            **{"use_task_id": True, **_SIZES},
        },
    ),
    "openai_gpt": (
        *("OpenAIGPT", 2027),
        {
            **{"vocab_size": 40, "n_positions": 20, "n_embd": 16},
            **{"n_layer": 3, "n_head": 4, **_EAGER},
        },
    ),
    "longformer": (
        *("Longformer", 2004),
        {
            **{"vocab_size": 275, **_ROBERTA, "attention_window": [_WINDOW, 4]},
            "max_position_embeddings": 24 + _PAD + 1,
        },
    ),
    "mpnet": ("MPNet", 1907, {"vocab_size": 41, **_MPNET}),
    "roberta": ("Roberta", 1907, {"vocab_size": 275, **_ROBERTA}),
    "xlm-roberta": ("XLMRoberta", 1907, {"vocab_size": 40, **_ROBERTA}),
    "xlnet": (
        *("XLNet", 1906),
        {
            **{"vocab_size": 44, "d_model": 16, "n_layer": 3, "n_head": 4},
            **{"d_inner": 32, "mem_len": None, "use_mems_eval": False},
        },
    ),
}


def _class(name, ending):
    """Return a class of the file of a family, or None."""
    return getattr(transformers, f"{_CONFIGS[name][0]}{ending}", None)


def _config(name, ending):
    family, _, values = _CONFIGS[name]
    config = _class(name, "Config")
    return config(**values, architectures=[f"{family}{ending}"])


def _model(name, ending, more=0, **arguments):
    model = _class(name, ending)(_config(name, ending))
    return draw_widely(model, _CONFIGS[name][1] + more, **arguments)


def _tasks(name):
    # XLNetForQuestionAnswering has heads for beam search.
    classes = (
        _class(name, f"{ending}Simple") or _class(name, ending)
        for ending in _TASKS
    )
    return [task for task in classes if task]


def _inputs(name, lengths, segment_starts=None):
    """Return padded rows, int32 arrays by name; choices add an axis."""
    lengths = np.array(lengths)[..., None]
    places = np.arange(lengths.max())
    mask = places < lengths
    inputs = padded_rows(mask, _CONFIGS[name][1] + 1, 1, 40)
    if segment_starts:
        segments = (places >= np.array(segment_starts)[..., None]) & mask
        inputs["token_type_ids"] = segments.astype(np.int32)
    return inputs


def _logits_and_states(model, inputs):
    answer = answer_of(model, inputs, output_hidden_states=True)
    return {"logits": answer.logits.numpy(), **states_of(answer)}


def _pretraining_outputs(model, inputs):
    """Return outputs of BERT; predictions at `masked_lm_positions`."""
    inputs = {**inputs}
    positions = inputs.pop("masked_lm_positions")
    encoded = answer_of(model.bert, inputs, output_hidden_states=True)
    answer = answer_of(model, inputs)
    return {
        "pooler_output": encoded.pooler_output.numpy(),
        "prediction_logits": np.take_along_axis(
            answer.prediction_logits.numpy(), positions[..., None], axis=1
        ),
        "seq_relationship_logits": answer.seq_relationship_logits.numpy(),
        **states_of(encoded),
    }


def _bert(name):
    """Write outputs of the same weights and inputs for both activations."""
    inputs = _inputs(name, (12, 7, 3), (6, 4, 2))
    model = _model(name, "ForPreTraining", stddev=0.5)
    positions = [[1, 5, 8, 11], [2, 4, 6, 0], [1, 0, 0, 0]]
    inputs["masked_lm_positions"] = np.array(positions, np.int32)
    weights, outputs = weights_of(model), _pretraining_outputs(model, inputs)
    outputs["last_hidden_state"] = outputs["hidden_states/2"]
    return model.config, weights, inputs, outputs


def _bert_task(name):
    """Write the head with the name of the file."""
    ending = "For" + name.title().replace("_", "")
    if name == "question_answering":
        inputs = _inputs(name, (12, 7, 5), (4, 4, 4))
    else:  # The choices of two questions, or all choices as rows.
        lengths = [[12, 7, 3], [5, 10, 9]]
        inputs = _inputs(name, lengths, [[6, 4, 2], [3, 3, 3]])
    if name == "token_classification":
        inputs = {k: x.reshape(-1, x.shape[-1]) for k, x in inputs.items()}
    model = _model(name, ending)
    answer = answer_of(model, inputs)
    outputs = {k: x.numpy() for k, x in answer.items()}
    return model.config, weights_of(model), inputs, outputs


def _sentence_pairs(name):
    inputs = _inputs(name, (12, 7, 3, 10), (6, 4, 2, 10))
    model = _model(name, "ForPreTraining")
    answer = answer_of(model, inputs, output_hidden_states=True)
    outputs = {
        "logits": answer.prediction_logits.numpy(),
        **{key: x.numpy() for key, x in answer.items() if key in _OF_PAIRS},
        "pooler_output": answer_of(
            model.base_model, inputs
        ).pooler_output.numpy(),
        **states_of(answer),
    }
    return model.config, weights_of(model), inputs, outputs


def _big_bird(name):
    """Write BigBird with states of rows near the limit of full attention.

    Each row gets a new model, because a short row changes it permanently.
    """
    inputs = _inputs(name, (60, 47, 5, 52), (6, 40, 2, 52))
    model = _model(name, "ForPreTraining")
    positions = np.stack([np.linspace(0, n - 1, 4) for n in (60, 47, 5, 52)])
    inputs["masked_lm_positions"] = positions.astype(np.int32)
    outputs = _pretraining_outputs(model, inputs)
    for length in (43, 44, 45, 47, 48, 49, 130, 1021, 1024, 1025, 1032):
        ids = (1 + np.arange(length) ** 2 % 37)[np.newaxis]
        places = [0, 5, length // 2, length - 7, length - 1]
        for is_training in (True, False):
            fresh = _model(name, "ForPreTraining").train(is_training)
            kind = "published" if is_training else "transformers_eval"
            last = _last_states(fresh, ids)[places]
            outputs[f"{kind}/{length}"] = last
    return model.config, weights_of(model), inputs, outputs


def _electra(name):
    inputs = _inputs(name, (12, 7, 3, 10), (6, 4, 2, 10))
    model = _model(name, "ForPreTraining")
    generator = _model(name, "ForMaskedLM", 1)
    generator.electra.load_state_dict(model.electra.state_dict())
    outputs = _logits_and_states(model, inputs)
    outputs["replaced_token_logits"] = outputs["logits"]
    outputs["logits"] = answer_of(generator, inputs).logits.numpy()
    weights = {**weights_of(generator), **weights_of(model)}
    return model.config, weights, inputs, outputs


def _masked_lm(name):
    inputs = _inputs(name, (12, 7, 3))
    model = _model(name, "ForMaskedLM")
    outputs = _logits_and_states(model, inputs)
    return model.config, weights_of(model), inputs, outputs


def _deberta(name):
    """Write DeBERTa with states of texts on both sides of the bucket edges."""
    inputs = _inputs(name, (12, 7, 3, 10))
    model = _model(name, "ForMaskedLM")
    outputs = _logits_and_states(model, inputs)
    for length in (3, 127, 128, 129, 130, 300, 510, 511, 512, 513):
        ids = (1 + np.arange(length) ** 2 % 37)[np.newaxis]
        last = _last_states(model, ids)
        places = [0, 1, length // 2, length - 2, length - 1]
        outputs[f"lengths/{length}"] = last[places]
    return model.config, weights_of(model), inputs, outputs


def _last_states(model, ids, **more):
    row = {"input_ids": ids.astype(np.int32), **more}
    row["attention_mask"] = np.ones_like(row["input_ids"])
    answer = answer_of(model, row, output_hidden_states=True)
    return answer.hidden_states[-1][0].numpy()


def _openai_gpt(name):
    """Write GPT-1 with the greedy continuation of each row by `generate`."""
    lengths = (12, 7, 3)
    inputs, generated = _inputs(name, lengths), []
    model = _class(name, "LMHeadModel")(_config(name, "LMHeadModel"))
    model = draw_gpt_widely(model, _CONFIGS[name][1])
    for ids, length in zip(inputs["input_ids"], lengths, strict=True):
        prompt = torch.from_numpy(ids[None, :length]).long()
        answer = model.generate(
            prompt,
            attention_mask=torch.ones_like(prompt),
            max_new_tokens=6,
            do_sample=False,
            pad_token_id=0,
        )
        generated.append(answer[0, length:].numpy().astype(np.int32))
    outputs = _logits_and_states(model, inputs)
    outputs["generated"] = np.stack(generated)
    return model.config, weights_of(model), inputs, outputs


def _roberta(name):
    """Write RoBERTa, with left padding and with the padding id in a text.

    As in the published files, the weights contain a pooler and the head.
    """
    vocab_size = _CONFIGS[name][2]["vocab_size"]
    places = np.arange(12)
    mask = np.stack([places < 12, places < 7, places >= 5, places < 9])
    inputs = padded_rows(mask, _CONFIGS[name][1] + 1, 4, vocab_size, _PAD)
    inputs["input_ids"][3, 4] = _PAD
    model, pooled = _model(name, "ForMaskedLM"), _pooled_model(name, 1)
    weights, outputs = _with_pooler(model, pooled, inputs)
    if name == "mpnet":
        ids = (4 + np.arange(_LONG) ** 2 % 31)[np.newaxis]
        outputs["long"] = _last_states(model, ids)[::10]
    return model.config, weights, inputs, outputs


def _pooled_model(name, more):
    model = _class(name, "Model")(_config(name, "ForMaskedLM"))
    return draw_widely(model, _CONFIGS[name][1] + more)


def _with_pooler(model, pooled, inputs):
    """Return weights and outputs of a masked LM with the pooler of `pooled`."""
    pooled.load_state_dict(model.base_model.state_dict(), strict=False)
    prefix = model.base_model_prefix
    weights = {f"{prefix}.{k}": v for k, v in weights_of(pooled).items()}
    outputs = _logits_and_states(model, inputs)
    outputs["pooler_output"] = answer_of(pooled, inputs).pooler_output.numpy()
    return {**weights, **weights_of(model)}, outputs


def _longformer(name):
    """Write rows with one pair each; tasks need three separators in a row."""
    lengths = np.array((24, 15, 10, 19))[:, np.newaxis]
    mask = np.arange(lengths.max()) < lengths
    inputs = padded_rows(mask, _CONFIGS[name][1] + 1, 4, 270, _PAD)
    inputs["input_ids"][:, 0] = 0
    for row, length in zip(inputs["input_ids"], lengths[:, 0]):
        row[[length // 3, length // 3 + 1, length - 1]] = _SEP
    model, pooled = _model(name, "ForMaskedLM"), _pooled_model(name, 2)
    weights, outputs = _with_pooler(model, pooled, inputs)
    for length in (_WINDOW - 1, _WINDOW, _WINDOW + 1, 2 * _WINDOW + 3):
        ids = (4 + np.arange(length) ** 2 % 37)[np.newaxis]
        for number in (0, 1, 3):
            is_global = np.zeros_like(ids, np.int32)
            is_global[:, [0, length - 1, 3][:number]] = 1
            given = {"global_attention_mask": is_global}
            outputs[f"global/{length}/{number}"] = _last_states(
                pooled, ids, **given
            )
    return model.config, weights, inputs, outputs


def _xlnet(name):
    """Write XLNet with predictions of the query stream in two orders.

    In the first, no prediction depends on another. `ranks` are the second.
    Padding is on the left, because transformers reads the last position.
    """
    inputs = _inputs(name, (12, 7, 5, 10), (6, 4, 2, 10))
    inputs = {k: np.ascontiguousarray(v[:, ::-1]) for k, v in inputs.items()}
    model = _model(name, "LMHeadModel")
    positions = [[0, 6, 11], [9, 5, 7], [10, 8, 11], [2, 4, 3]]
    positions = np.array(positions, np.int32)
    at = np.eye(12, dtype=np.int32)[positions]  # [B, P, S]
    masked = at.max(1)
    ranks = np.random.default_rng(1).permuted(
        np.tile(np.arange(1, 13), (4, 1)), axis=1
    )
    ranks = (ranks * masked).astype(np.int32)
    outputs = {}
    for key, order in (("logits", masked), ("permuted", ranks)):
        hidden = order[:, None, :] >= order[:, :, None]
        hidden &= order[:, None, :] > 0
        given = {"perm_mask": hidden.astype(np.int32), "target_mapping": at}
        outputs[key] = _two_streams(model, {**inputs, **given})
    answer = answer_of(model, inputs, output_hidden_states=True)
    outputs |= states_of(answer)
    untyped = {k: v for k, v in inputs.items() if k != "token_type_ids"}
    outputs["untyped"] = answer_of(
        model.transformer, untyped
    ).last_hidden_state.numpy()
    outputs["ranks"] = ranks
    inputs["masked_lm_positions"] = positions
    return model.config, weights_of(model), inputs, outputs


def _two_streams(model, inputs):
    tensors = {k: torch.from_numpy(v) for k, v in inputs.items()}
    floats = ("perm_mask", "target_mapping", "attention_mask")
    tensors |= {k: tensors[k].float() for k in floats}
    tensors |= {k: tensors[k].long() for k in ("input_ids", "token_type_ids")}
    with torch.no_grad():  # In float32: the sinusoids are.
        return model(**tensors).logits.numpy()


_BERT_TASKS = ("multiple_choice", "question_answering", "token_classification")
_MAKERS = {
    **dict.fromkeys(("gelu", "gelu_new"), _bert),
    **dict.fromkeys(_BERT_TASKS, _bert_task),
    **dict.fromkeys(("albert", "ernie"), _sentence_pairs),
    "big_bird": _big_bird,
    **dict.fromkeys(("deberta", "deberta-v2"), _deberta),
    "distilbert": _masked_lm,
    "electra": _electra,
    "longformer": _longformer,
    "openai_gpt": _openai_gpt,
    **dict.fromkeys(("mpnet", "roberta", "xlm-roberta"), _roberta),
    "xlnet": _xlnet,
}
# Their files contain one model.
_WITHOUT_TASKS = (*_BERT_TASKS, "gelu", "gelu_new", "distilbert", "openai_gpt")


def main(names):
    for name in names:
        config, weights, inputs, outputs = _MAKERS[name](name)
        groups = {"weights": weights, "inputs": inputs, "outputs": outputs}
        tasks = [] if name in _WITHOUT_TASKS else _tasks(name)
        write_with_tasks(f"hf_{name}", config, **groups, tasks=tasks)


if __name__ == "__main__":
    main(sys.argv[1:])
