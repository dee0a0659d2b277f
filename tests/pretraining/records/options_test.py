"""Conversion of lines to sentences for the tokenizer."""

from keras_bert.pretraining.records.options import TextOptions
from keras_bert.text.bpe.byte_settings import BytePairSettings
from keras_bert.text.bpe.byte_vocabulary import BytePairVocabulary
from keras_bert.text.bpe.byte_vocabulary import byte_characters

_LINE = "The dog eats. It sleeps! Dr. Smith, too, sleeps."


def _sentences(lines, **options):
    options = TextOptions("vocab.txt", **options)
    return [*options.sentences([line.encode() for line in lines])]


def test_a_space_stays_before_sentences_inside_a_line():
    assert _sentences([_LINE, ""]) == [_LINE.encode(), b""]
    assert _sentences([_LINE, "", "It."], split_sentences=True) == [
        b"The dog eats.",
        b" It sleeps!",
        b" Dr. Smith, too, sleeps.",
        b"",
        b"It.",
    ]


def test_byte_level_bpe_cuts_split_lines_as_running_text():
    specials = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    merges = [("Ġ", "I"), ("ĠI", "t"), ("I", "t")]
    tokens = [*specials, *byte_characters(), *map("".join, merges)]
    tokenizer = BytePairSettings(BytePairVocabulary(tokens), merges).make()
    split = tokenizer(_sentences([_LINE], split_sentences=True))
    (whole,) = tokenizer([_LINE]).to_list()
    assert split.flat_values.numpy().tolist() == whole
    assert tokenizer.vocabulary.id_of("ĠIt") in whole
