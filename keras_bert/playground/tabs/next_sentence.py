"""Tab that shows next-sentence pairs and their predictions."""

import collections

import numpy as np
from keras import ops

from keras_bert import features
from keras_bert.playground.default_texts import DOCUMENTS
from keras_bert.playground.markup import bar
from keras_bert.playground.markup import element
from keras_bert.playground.markup import joined
from keras_bert.playground.markup import note
from keras_bert.playground.markup import piece
from keras_bert.playground.markup import table
from keras_bert.playground.tab import ChoiceField
from keras_bert.playground.tab import NumberField
from keras_bert.playground.tab import Tab
from keras_bert.playground.tab import TextField
from keras_bert.pretraining.corpus.documents import group_documents
from keras_bert.pretraining.corpus.token_store import Corpus
from keras_bert.pretraining.records.filling import ExampleRules
from keras_bert.pretraining.records.filling import fill_rows
from keras_bert.pretraining.records.layouts import LAYOUTS
from keras_bert.pretraining.records.options import DataOptions
from keras_bert.pretraining.records.segments import Segments
from keras_bert.text.sentences import split_sentences

# Map heads to the packing that samples pairs, the name of the logits, and the
# names of the labels 0 and 1.
_KINDS = {
    "nsp_head": ("segment_pairs", "nsp_logits", ("IsNext", "NotNext")),
    "sop_head": ("sentence_order", "sop_logits", ("InOrder", "Swapped")),
}
_SEQ_LENGTH = 64
_TRUNCATED = "… marks where a sentence is truncated, so that the pair fits."
_NUM_PASSES = 30  # Passes over the documents to find a pair with a label.


# `cuts` are the positions of tokens that follow a truncation; `probabilities`
# maps labels to the model's predictions.
DrawnPair = collections.namedtuple(
    "DrawnPair", "tokens segments cuts label probabilities"
)


def draw_pair(model, text, label, seed):
    """Sample a pair from documents as in `create_pretraining_data`.

    Documents are separated by blank lines.
    """
    packing, logits, labels = _kind(model)
    corpus, rules = _corpus(model, text), _rules(model)
    segments = _drawn(corpus, packing, labels.index(label), rules, seed)
    if segments is None:
        raise ValueError(
            f"No pair with the label {label} was sampled in {_NUM_PASSES} "
            "passes. Use documents with more sentences."
        )
    ids, mask, in_second = (
        np.int32(x) for x in fill_rows(corpus, segments, rules)[:3]
    )
    arrays = [x[:, : mask.sum()] for x in (ids, mask, in_second)]
    names = features.INPUT_IDS, features.INPUT_MASK, features.SEGMENT_IDS
    inputs = dict(zip((x.name for x in names), arrays, strict=True))
    shares = _probabilities(model, inputs, logits)
    return DrawnPair(
        [model.vocabulary.tokens[x] for x in arrays[0][0].tolist()],
        arrays[2][0].tolist(),
        _cuts(corpus, segments),
        label,
        dict(zip(labels, shares, strict=True)),
    )


def _kind(model):
    return next(kind for head, kind in _KINDS.items() if model.has(head))


def _corpus(model, text):
    """Create a `Corpus` from the documents of a text."""
    documents = []
    for lines in group_documents(x.strip() for x in text.splitlines()):
        sentences = [y for line in lines for y in split_sentences(line)]
        ids = [np.array(x) for x in model.tokenizer(sentences).to_list() if x]
        if ids:
            documents.append(ids)
    if len(documents) < 2:
        raise ValueError(
            "Pairs are sampled from two or more documents. Separate documents "
            "by a blank line."
        )
    sentences = [ids for document in documents for ids in document]
    return Corpus.of_lengths(
        np.concatenate(sentences),
        [*map(len, sentences)],
        [*map(len, documents)],
    )


def _drawn(corpus, packing, label, rules, seed):
    """Return `Segments` of a random pair with a label, or None.

    `create_pretraining_data` may truncate texts within a word. Here both texts
    start with a whole word.
    """
    options = DataOptions(
        max_seq_length=rules.seq_length, max_predictions_per_seq=1
    )
    rng = np.random.default_rng(seed)
    documents = np.arange(corpus.num_documents)
    passes = [
        LAYOUTS[packing].sample(corpus, documents, options, rng)
        for _ in range(_NUM_PASSES)
    ]
    segments = Segments.concatenate(passes)
    starts = np.stack([segments.first_start, segments.second_start])
    is_within_word = rules.is_continuation[corpus.tokens[starts]].any(axis=0)
    (fitting,) = np.nonzero((segments.label == label) & ~is_within_word)
    return segments[rng.choice(fitting, 1)] if len(fitting) else None


def _cuts(corpus, segments):
    """Return the positions of tokens that follow a truncated part."""
    cuts, position = [], 1
    for start, length in (
        (segments.first_start[0], segments.first_length[0]),
        (segments.second_start[0], segments.second_length[0]),
    ):
        for offset in (0, int(length)):
            if start + offset not in corpus.sentences:
                cuts.append(position + offset)
        position += int(length) + 1
    return cuts


def _rules(model):
    vocabulary = model.vocabulary
    roles = ("cls", "sep", "pad")
    return ExampleRules(
        seq_length=min(_SEQ_LENGTH, model.pretrained.sequence_length()),
        **{f"{x}_id": vocabulary.id_of(vocabulary.roles[x]) for x in roles},
        is_continuation=np.array(vocabulary.is_continuation),
        whole_words=False,
        masking=None,
    )


def _probabilities(model, inputs, logits):
    inputs = {name: inputs[name] for name in model.input_names}
    if model.has("masked_lm_head"):
        positions = np.zeros((1, 1), np.int32)
        inputs[features.MASKED_LM_POSITIONS.name] = positions
    outputs = model.pretrained.model(inputs)[logits]
    return ops.convert_to_numpy(ops.softmax(outputs))[0].tolist()


def pair_picture(pair):
    """Render a `DrawnPair` as `Html`."""
    chips = []
    for position, token in enumerate(pair.tokens):
        if position in pair.cuts:
            chips.append(element("b", " … "))
        chips.append(piece(token, f"segment{pair.segments[position]}"))
    legend = [piece(f"segment {n}", f"segment{n}") for n in (0, 1)]
    rows = [
        [label, bar(share), "label" if label == pair.label else ""]
        for label, share in pair.probabilities.items()
    ]
    said = max(pair.probabilities, key=pair.probabilities.get)
    verdict = "right" if said == pair.label else "wrong"
    return joined(
        element("p", *legend),
        element("div", *chips, class_="text"),
        note(_TRUNCATED if pair.cuts else ""),
        element("h3", f"The prediction is {said}, which is {verdict}"),
        table(["Pair", "Probability", ""], rows),
    )


def _fields(model):
    *_, labels = _kind(model)
    return [
        ChoiceField("label", "The pair is", labels[0], labels),
        NumberField("seed", "Seed", 1, 0, 100),
        TextField("text", "Documents, with blank lines between", DOCUMENTS, 10),
    ]


TAB = Tab(
    name="next_sentence",
    title="Next sentence",
    description="The model predicts whether two texts follow each other. The "
    "pair is sampled as in pre-training.",
    fields=_fields,
    answer=draw_pair,
    picture=pair_picture,
    missing_part=lambda model: (
        ""
        if any(map(model.has, _KINDS))
        else "a next-sentence or sentence-order head"
    ),
)
