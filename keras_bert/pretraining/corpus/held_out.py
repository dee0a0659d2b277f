"""A fixed part of a corpus that training never sees."""

import collections
import hashlib
import pathlib

from keras_bert import artifacts

_MIN_DOCUMENTS = 2


def is_held_out(document, share):
    """Return True if a document, a list of sentences, is for evaluation.

    It depends only on the text; about a `share` of all documents is.
    """
    digest = hashlib.sha256("\n".join(document).encode()).digest()
    return int.from_bytes(digest[:8], "big") < share * 2**64


def corpus_files(directory):
    """The names of the two parts, as str."""
    return [str(pathlib.Path(directory, f"{p}.txt")) for p in ("train", "eval")]


def split_corpus(documents, directory, eval_share, about=None, overwrite=False):
    """Writes `train.txt` and `eval.txt` with their manifests, or nothing.

    Args:
        documents: iterable of lists of str, the sentences of each document.
        directory: str, an existing directory.
        eval_share: float, share of the documents that goes to `eval.txt`.
        about: dict for JSON, further contents of the manifests. It is written
            at the end.
        overwrite: bool, replace files of ours.

    Returns:
        Counts of "documents", "held_out", "sentences", "words" and "bytes".

    Raises:
        ValueError: one of the parts has fewer than two documents.
    """
    counts = collections.Counter()
    about = {**(about or {}), "counts": counts}
    train_file, eval_file = corpus_files(directory)
    with (
        artifacts.file(train_file, about, (), overwrite) as train_path,
        artifacts.file(eval_file, about, (), overwrite) as eval_path,
    ):
        with open(train_path, "wb") as train, open(eval_path, "wb") as held:
            for document in documents:
                is_eval = is_held_out(document, eval_share)
                text = ("\n".join(document) + "\n\n").encode("utf-8")
                (held if is_eval else train).write(text)
                counts.update(
                    documents=1,
                    held_out=int(is_eval),
                    sentences=len(document),
                    words=len(text.split()),
                    bytes=len(text),
                )
        kept = counts["documents"] - counts["held_out"]
        if min(kept, counts["held_out"]) < _MIN_DOCUMENTS:
            raise ValueError(
                f"Both parts must have {_MIN_DOCUMENTS} documents at least; a "
                "blank line or the end of a file ends a document. Received: "
                f"{kept} to train on and {counts['held_out']} to evaluate on."
            )
    return counts
