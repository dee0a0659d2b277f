"""What an app must know of a model, inside of its TFLite file."""

import json
import zipfile


def append_archive(path, about, labels, tokens):
    """Appends a ZIP archive to a TFLite file.

    Interpreters read the file as before; whatever reads ZIP archives finds
    `export.json`, `vocab.txt` and, if there are labels, `labels.txt`. TFLite's
    own metadata keep files in the same way.

    Args:
        path: str, the file.
        about: dict for JSON, what the export is.
        labels: list of str, one a line in the order of the logits; or None.
        tokens: list of str, one a line in the order of the ids.
    """
    files = {
        "export.json": json.dumps(about, indent=2) + "\n",
        "vocab.txt": _lines(tokens),
    }
    if labels is not None:
        files["labels.txt"] = _lines(labels)
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            # With a fixed date, so that equal exports are equal files.
            archive.writestr(zipfile.ZipInfo(name), text, zipfile.ZIP_DEFLATED)


def _lines(texts):
    return "".join(f"{text}\n" for text in texts)
