"""Next-sentence pairs as pre-training draws them, and their predictions."""

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
from keras_bert.pretraining.examples.options import DataOptions
from keras_bert.pretraining.examples.packing import ExampleRules
from keras_bert.pretraining.examples.packing import pack_segments
from keras_bert.pretraining.examples.packings import PACKINGS
from keras_bert.pretraining.examples.segments import Segments
from keras_bert.text.sentences import split_sentences

# By the head of the model: the packing that draws pairs, the name of the
# logits, and the names of the labels 0 and 1.
_KINDS = {
    "nsp_head": ("segment_pairs", "nsp_logits", ("IsNext", "NotNext")),
    "sop_head": ("sentence_order", "sop_logits", ("InOrder", "Swapped")),
}
_SEQ_LENGTH = 64
_CUT = "… The sentence goes on; it was cut there for the pair to fit."
_NUM_PASSES = 30  # To find a pair with the label that is wanted.


# `cuts` are the tokens before which a part of the sentence was cut off;
# `probabilities` are the model's, by label.
DrawnPair = collections.namedtuple(
    "DrawnPair", "tokens segments cuts label probabilities"
)


def draw_pair(model, text, label, seed):
    """Draw a pair from documents, by the data tool's own sampling.

    A blank line stands between documents.
    """
    packing, logits, labels = _kind(model)
    corpus, rules = _corpus(model, text), _rules(model)
    segments = _drawn(corpus, packing, labels.index(label), rules, seed)
    if segments is None:
        raise ValueError(
            f"No pair that is {label} was drawn in {_NUM_PASSES} passes. "
            "Documents of more sentences have some."
        )
    ids, mask, in_second = (
        np.int32(x) for x in pack_segments(corpus, segments, rules)[:3]
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
    """Make a `Corpus` of the documents of a text."""
    documents = []
    for lines in group_documents(x.strip() for x in text.splitlines()):
        sentences = [y for line in lines for y in split_sentences(line)]
        ids = [np.array(x) for x in model.tokenizer(sentences).to_list() if x]
        if ids:
            documents.append(ids)
    if len(documents) < 2:
        raise ValueError(
            "Pairs are drawn from two documents or more. Write a blank line "
            "between them."
        )
    sentences = [ids for document in documents for ids in document]
    return Corpus.of_lengths(
        np.concatenate(sentences),
        [*map(len, sentences)],
        [*map(len, documents)],
    )


def _drawn(corpus, packing, label, rules, seed):
    """One of the pairs with a label, as `Segments`; None if there is none.

    The data tool cuts pieces off at random, within words too. Here both texts
    begin with a word.
    """
    options = DataOptions(
        max_seq_length=rules.seq_length, max_predictions_per_seq=1
    )
    rng = np.random.default_rng(seed)
    documents = np.arange(corpus.num_documents)
    passes = [
        PACKINGS[packing].sample(corpus, documents, options, rng)
        for _ in range(_NUM_PASSES)
    ]
    segments = Segments.concatenate(passes)
    starts = np.stack([segments.first_start, segments.second_start])
    is_within_word = rules.is_continuation[corpus.tokens[starts]].any(axis=0)
    (fitting,) = np.nonzero((segments.label == label) & ~is_within_word)
    return segments[rng.choice(fitting, 1)] if len(fitting) else None


def _cuts(corpus, segments):
    """The tokens of a pair before which some of a sentence are missing."""
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
    inputs = {name: inputs[name] for name in model.inputs}
    if model.has("masked_lm_head"):
        positions = np.zeros((1, 1), np.int32)
        inputs[features.MASKED_LM_POSITIONS.name] = positions
    outputs = model.pretrained.model(inputs)[logits]
    return ops.convert_to_numpy(ops.softmax(outputs))[0].tolist()


def pair_picture(pair):
    """A `DrawnPair` as `Html`."""
    chips = []
    for position, token in enumerate(pair.tokens):
        if position in pair.cuts:
            chips.append(element("b", " … "))
        chips.append(piece(token, f"segment{pair.segments[position]}"))
    legend = [piece(f"segment {n}", f"segment{n}") for n in (0, 1)]
    rows = [
        [label, bar(share), "drawn" if label == pair.label else ""]
        for label, share in pair.probabilities.items()
    ]
    said = max(pair.probabilities, key=pair.probabilities.get)
    verdict = "right" if said == pair.label else "wrong"
    return joined(
        element("p", *legend),
        element("div", *chips, class_="text"),
        note(_CUT if pair.cuts else ""),
        element("h3", f"The model says {said}, and is {verdict}"),
        table(["Pair", "Probability", ""], rows),
    )


def _fields(model):
    *_, labels = _kind(model)
    return [
        ChoiceField("label", "The pair is", labels[0], labels),
        NumberField("seed", "Seed", 1, 0, 100),
        TextField("text", "Documents, a blank line between", DOCUMENTS, 10),
    ]


TAB = Tab(
    name="next_sentence",
    title="Next sentence",
    about="Pre-training shows two texts: do they follow each other? The pair "
    "is drawn as the data tool draws it, and the model says what it thinks.",
    fields=_fields,
    answer=draw_pair,
    picture=pair_picture,
    lacking=lambda model: (
        ""
        if any(map(model.has, _KINDS))
        else "a next-sentence or sentence-order head"
    ),
)
