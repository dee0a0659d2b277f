"""Split of a corpus into training and evaluation documents."""

import collections
import hashlib
import pathlib

from keras_bert.files.outputs import new_file

_MIN_DOCUMENTS = 2


def is_held_out(document, share):
    """Return True if a document (list of sentences) is held out.

    The result depends only on the text. The expected fraction of held-out
    documents is `share`.
    """
    digest = hashlib.sha256("\n".join(document).encode()).digest()
    return int.from_bytes(digest[:8], "big") < share * 2**64


def corpus_files(directory):
    """Return the paths of the training and the evaluation file."""
    return [str(pathlib.Path(directory, f"{p}.txt")) for p in ("train", "eval")]


def split_corpus(documents, directory, eval_share, extra=None, overwrite=False):
    """Write `train.txt` and `eval.txt` with their manifests.

    After an error neither file is written.

    Args:
        documents: iterable of lists of str, the sentences of each document.
        directory: str, an existing directory.
        eval_share: float, fraction of the documents to write to `eval.txt`.
        extra: JSON-serializable dict, additional entries of the manifests, read
            after the last document.
        overwrite: bool, whether to replace the files of an earlier run.

    Returns:
        Counter with the keys "documents", "held_out", "sentences", "words" and
        "bytes".

    Raises:
        ValueError: a file would have fewer than two documents.
    """
    counts = collections.Counter()
    extra = {**(extra or {}), "counts": counts}
    train_file, eval_file = corpus_files(directory)
    with (
        new_file(train_file, extra, (), overwrite) as train_path,
        new_file(eval_file, extra, (), overwrite) as eval_path,
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
                "The training and evaluation splits must each have at least "
                f"{_MIN_DOCUMENTS} documents. Put a blank line between "
                f"documents. Received: {kept} for training and "
                f"{counts['held_out']} for evaluation."
            )
    return counts
