"""What the model of the demo fills in where a word is masked."""

from keras_bert.text.vocabulary import MASK

_NUM_SENTENCES = 5


def masked_sentences(documents, vocabulary):
    """Sentences with one known word masked.

    Args:
        documents: list of lists of bytes, sentences.
        vocabulary: `Vocabulary`.

    Returns:
        A list of pairs of a text and the word that is masked in it.
    """
    examples = []
    for document in documents:
        words = document[0].decode().split()
        known = [
            index
            for index, word in enumerate(words[:-1])
            if index and len(word) > 3 and word in vocabulary
        ]
        if 6 <= len(words) <= 12 and known:
            index = known[len(known) // 2]
            text = " ".join([*words[:index], MASK, *words[index + 1 :]])
            examples.append((text, words[index]))
    if not examples:  # Not all texts have such sentences.
        return [(MASK, "nothing: no short sentence was held out")]
    stride = max(1, len(examples) // _NUM_SENTENCES)
    return examples[::stride][:_NUM_SENTENCES]


def filled_text(fill_mask, examples):
    """What a model fills in, as lines of text.

    Args:
        fill_mask: `FillMask`.
        examples: list, of `masked_sentences`.
    """
    lines = ["Filled in"]
    for text, word in examples:
        answers = ", ".join(
            f"{answer['token']} {answer['probability']:.2f}"
            for answer in fill_mask(text)[0]
        )
        lines += [f"  {text}", f"      {answers}   (was: {word})"]
    return "\n".join(lines)
