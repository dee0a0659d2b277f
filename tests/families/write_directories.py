"""Write directories of all families with the installed transformers.

`writers_test.py` runs this program with transformers 5 and with 4.46, so that
it does not import keras_bert:

    python tests/families/write_directories.py TEXTS.json DIRECTORY

For each family it writes the directories `FAMILY/KIND`, a tokenizer each, and
`FAMILY/CLASS`, a model with random weights and its tokenizer. The ids are next
to them, in `FAMILY/KIND.json`, and the logits of classifiers in
`FAMILY/CLASS.npy`.
"""

import dataclasses
import inspect
import io
import json
import pathlib
import sys

import numpy as np
import sentencepiece
import tokenizers
import torch
import transformers

_IS_5 = transformers.__version__.startswith("5.")
_VOCAB_SIZE = 900
_NUM_LABELS = 3
_CLASSIFIER = "ForSequenceClassification"
_TASKS = (
    _CLASSIFIER,
    "ForTokenClassification",
    "ForQuestionAnswering",
    "ForMultipleChoice",
)
_MASKED = ("Model", "ForMaskedLM", *_TASKS)
_PRETRAINED = ("ForPreTraining", *_MASKED)
_BERT_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
_ROBERTA_SPECIAL = ("<s>", "<pad>", "</s>", "<unk>")
# Published SentencePiece models have user-defined symbols.
_SYMBOLS = ["(", ")", '"', "-", ".", "–", "£", "€"]


def _wordpiece(texts, folder, first=_BERT_SPECIAL, last=()):
    trained = tokenizers.BertWordPieceTokenizer()
    trained.train_from_iterator(
        texts, _VOCAB_SIZE, special_tokens=[*_BERT_SPECIAL], show_progress=False
    )
    words = sorted(trained.get_vocab(), key=trained.get_vocab().get)
    words = [word for word in words if word not in _BERT_SPECIAL]
    lines = "\n".join([*first, *words, *last])
    (folder / "vocab.txt").write_text(lines + "\n", encoding="utf-8")


def _mpnet_wordpiece(texts, folder):
    specials = [*_ROBERTA_SPECIAL[:3], "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    _wordpiece(texts, folder, specials, ["<mask>"])


def _byte_bpe(texts, folder, first=_ROBERTA_SPECIAL, last=("<mask>",)):
    trained = tokenizers.ByteLevelBPETokenizer()
    trained.train_from_iterator(texts, _VOCAB_SIZE, show_progress=False)
    trained.save_model(str(folder))
    words = sorted(trained.get_vocab(), key=trained.get_vocab().get)
    ids = {word: index for index, word in enumerate([*first, *words, *last])}
    (folder / "vocab.json").write_text(json.dumps(ids))


def _deberta_bpe(texts, folder):
    _byte_bpe(texts, folder, ["[PAD]", "[CLS]", "[SEP]", "[UNK]"], ["[MASK]"])


def _modernbert_bpe(texts, folder):
    """Write the published parts: NFC, runs of spaces, special tokens."""
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE())
    tokenizer.normalizer = tokenizers.normalizers.NFC()
    split = tokenizers.pre_tokenizers.ByteLevel
    tokenizer.pre_tokenizer = split(add_prefix_space=False)
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=_VOCAB_SIZE,
        initial_alphabet=split.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.add_tokens([" " * count for count in range(8, 1, -1)])
    tokenizer.add_special_tokens(["[UNK]", "[CLS]", "[SEP]", "[PAD]"])
    mask = tokenizers.AddedToken("[MASK]", lstrip=True, special=True)
    tokenizer.add_special_tokens([mask])
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(x, tokenizer.token_to_id(x)) for x in _BERT_SPECIAL],
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    roles = ("pad", "unk", "cls", "sep", "mask")
    values = {f"{role}_token": x for role, x in zip(roles, _BERT_SPECIAL)}
    values["tokenizer_class"] = "PreTrainedTokenizerFast"
    values["model_input_names"] = ["input_ids", "attention_mask"]
    (folder / "tokenizer_config.json").write_text(json.dumps(values))


def _gpt_bpe(texts, folder):
    trained = tokenizers.CharBPETokenizer(lowercase=True)
    trained.train_from_iterator(texts, _VOCAB_SIZE, show_progress=False)
    trained.save_model(str(folder))


def _sentencepiece(texts, path, **options):
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(texts),
        model_writer=model,
        vocab_size=_VOCAB_SIZE,
        minloglevel=2,
        **options,
    )
    path.write_bytes(model.getvalue())


def _xlnet_pieces(texts, folder):
    _sentencepiece(
        texts,
        folder / "spiece.model",
        control_symbols=["<cls>", "<sep>", "<pad>", "<mask>", "<eod>"],
        user_defined_symbols=["<eop>", *_SYMBOLS],
    )


def _albert_pieces(texts, folder):
    _sentencepiece(
        texts,
        folder / "spiece.model",
        pad_id=0,
        unk_id=1,
        bos_id=-1,
        eos_id=-1,
        control_symbols=["[CLS]", "[SEP]", "[MASK]"],
        user_defined_symbols=_SYMBOLS,
    )


def _bigbird_pieces(texts, folder):
    symbols = [f"<unused_{index}>" for index in range(3, 100)]
    symbols[65 - 3 : 68 - 3] = ["[CLS]", "[SEP]", "[MASK]"]
    _sentencepiece(
        texts,
        folder / "spiece.model",
        normalization_rule_name="identity",
        pad_id=0,
        eos_id=1,
        bos_id=2,
        unk_id=100,
        user_defined_symbols=symbols,
    )


def _xlm_pieces(texts, folder):
    _sentencepiece(texts, folder / "sentencepiece.bpe.model")


def _deberta_pieces(texts, folder):
    _sentencepiece(
        texts,
        folder / "spm.model",
        pad_id=0,
        bos_id=1,
        eos_id=2,
        unk_id=3,
        pad_piece="[PAD]",
        bos_piece="[CLS]",
        eos_piece="[SEP]",
        unk_piece="[UNK]",
    )


@dataclasses.dataclass(frozen=True)
class Family:
    """Classes of transformers, and how the tokenizer is made.

    Args:
        name: prefix of the names of classes.
        make: function that writes the vocabulary files.
        heads: suffixes of the names of model classes.
        config: dict of config values.
        tokenizer: prefix of the tokenizer's name. Defaults to `name`.
    """

    name: str
    make: object
    heads: tuple = _MASKED
    config: dict = dataclasses.field(default_factory=dict)
    tokenizer: str = ""


_SIZES = {
    "hidden_size": 16,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "intermediate_size": 24,
    "max_position_embeddings": 96,
}
_RELATIVE = {
    "relative_attention": True,
    "pos_att_type": ["c2p", "p2c"],
    "position_biased_input": False,
    "type_vocab_size": 0,
}
_V3 = {
    "position_buckets": 8,
    "norm_rel_ebd": "layer_norm",
    "share_att_key": True,
}
_ROBERTA = {"type_vocab_size": 1, "layer_norm_eps": 1e-5}
# These have other names of sizes.
_DISTILBERT = {"dim": 16, "n_layers": 3, "n_heads": 4, "hidden_dim": 24}
_GPT = {"n_embd": 16, "n_layer": 3, "n_head": 4, "n_positions": 96}
_XLNET = {"d_model": 16, "n_layer": 3, "n_head": 4, "d_inner": 24}
_EMBEDDING = {"embedding_size": 8}
# The library reads no sequence classifier of a GPT.
_GPT_HEADS = ("Model", "LMHeadModel", "DoubleHeadsModel")
_XLNET_HEADS = (
    "Model",
    "LMHeadModel",
    _CLASSIFIER,
    "ForTokenClassification",
    "ForQuestionAnsweringSimple",
    "ForMultipleChoice",
)
FAMILIES = {
    "albert": Family("Albert", _albert_pieces, _PRETRAINED, _EMBEDDING),
    "bert": Family("Bert", _wordpiece, _PRETRAINED),
    "big_bird": Family("BigBird", _bigbird_pieces, _PRETRAINED),
    "deberta": Family("Deberta", _deberta_bpe, _MASKED[:-1], _RELATIVE),
    "deberta-v2": Family(
        "DebertaV2", _deberta_pieces, _MASKED, {**_RELATIVE, **_V3}
    ),
    "distilbert": Family("DistilBert", _wordpiece, _MASKED, _DISTILBERT),
    "electra": Family("Electra", _wordpiece, _PRETRAINED, _EMBEDDING),
    "ernie": Family("Ernie", _wordpiece, _PRETRAINED, tokenizer="Bert"),
    "longformer": Family(
        "Longformer", _byte_bpe, _MASKED, {**_ROBERTA, "attention_window": 8}
    ),
    "modernbert": Family(
        "ModernBert", _modernbert_bpe, _MASKED, {"local_attention": 8}
    ),
    "mpnet": Family("MPNet", _mpnet_wordpiece),
    "openai-gpt": Family("OpenAIGPT", _gpt_bpe, _GPT_HEADS, _GPT),
    "roberta": Family("Roberta", _byte_bpe, _MASKED, _ROBERTA),
    "xlm-roberta": Family("XLMRoberta", _xlm_pieces, _MASKED, _ROBERTA),
    "xlnet": Family("XLNet", _xlnet_pieces, _XLNET_HEADS, _XLNET),
}


def _tokenizer_classes(family):
    """Return the tokenizer class of each kind of directory."""
    name = f"{family.tokenizer or family.name}Tokenizer"
    if family.make is _modernbert_bpe:
        kinds = {"default" if _IS_5 else "fast": "PreTrainedTokenizerFast"}
    elif not _IS_5:
        kinds = {"slow": name, "fast": f"{name}Fast"}
    else:
        kinds = {"default": name}
    return {kind: getattr(transformers, x) for kind, x in kinds.items()}


def _model(family, name, tokenizer):
    """Return a model with every weight redrawn."""
    config = getattr(transformers, f"{family.name}Config")
    specials = {
        f"{role}_token_id": getattr(tokenizer, f"{role}_token_id")
        for role in ("pad", "bos", "eos", "cls", "sep")
    }
    values = {k: x for k, x in specials.items() if x is not None}
    if not family.config.keys() & {"dim", "n_embd", "d_model"}:
        values |= _SIZES
    if name.endswith("Classification"):
        values["num_labels"] = _NUM_LABELS
    values |= family.config
    model = getattr(transformers, name)(
        config(vocab_size=len(tokenizer), **values)
    )
    random = np.random.default_rng(len(name))
    with torch.no_grad():
        for path, parameter in sorted(model.named_parameters()):
            gain = parameter.ndim == 1 and path.endswith("weight")
            values = random.normal(float(gain), 0.3, tuple(parameter.shape))
            parameter.copy_(torch.from_numpy(values))
    return model.eval()


def _logits(model, rows):
    known = inspect.signature(model.forward).parameters
    inputs = {name: x for name, x in rows.items() if name in known}
    with torch.inference_mode():
        return model(**inputs).logits.numpy()


def _write_family(family, texts, folder):
    vocabulary = folder / "source"
    vocabulary.mkdir(parents=True)
    family.make(texts["training"], vocabulary)
    for kind, tokenizer_class in _tokenizer_classes(family).items():
        path = folder / kind
        tokenizer = tokenizer_class.from_pretrained(str(vocabulary))
        tokenizer.save_pretrained(path)
        tokenizer = tokenizer_class.from_pretrained(str(path))
        lines = texts["lines"] + texts["typed"]
        ids = [
            tokenizer(x, add_special_tokens=False)["input_ids"] for x in lines
        ]
        path.with_suffix(".json").write_text(json.dumps(ids))
    if not hasattr(transformers, f"{family.name}Config"):
        return  # ModernBERT is newer than version 4.46.
    first, second = texts["pairs"]
    for suffix in family.heads:
        model = _model(family, family.name + suffix, tokenizer)
        path = folder / type(model).__name__
        model.save_pretrained(path)
        tokenizer.save_pretrained(path)
        if suffix == _CLASSIFIER:
            rows = tokenizer(
                first,
                second,
                padding=True,
                # Version 5 gives none for ALBERT, BigBird and XLNet otherwise.
                return_token_type_ids=True,
                return_tensors="pt",
            )
            np.save(f"{path}.npy", _logits(model, rows))


def main():
    texts = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
    torch.set_num_threads(1)
    transformers.logging.set_verbosity_error()
    for name, family in FAMILIES.items():
        _write_family(family, texts, pathlib.Path(sys.argv[2]) / name)


if __name__ == "__main__":
    main()
