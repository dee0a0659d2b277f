"""Manifests, which list files with their sizes and settings.

A file belongs to this library if a manifest in its folder lists it with its
size. A manifest also records settings for the next program, such as casing,
lengths and masking.
"""

import hashlib
import json
import os
import pathlib
import sys

from keras_bert.files.atomic import write_json

MANIFEST = "manifest.json"
LOCK = "lock"  # Name of the lock file of a work directory.
# Key for the manifest of the file that is being replaced.
FORMER = "former"
_MADE_BY = "keras_bert"
_BLOCK_BYTES = 1 << 20


def sha256(path):
    """Return the SHA-256 of a file, in hexadecimal."""
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(_BLOCK_BYTES):
            digest.update(block)
    return digest.hexdigest()


def fingerprint(path):
    """Return a SHA-256 that identifies an input.

    Args:
        path: str, a file; a directory, without its subdirectories; or any
            other name, which is hashed itself.
    """
    if os.path.isfile(path):
        return sha256(path)
    files = sorted(pathlib.Path(path).glob("*"))
    sums = [sha256(file) for file in files if file.is_file()]
    text = "".join(sums) if sums else str(path)
    return hashlib.sha256(text.encode()).hexdigest()


def file_entry(path):
    """Return the manifest entry of a file, with its size and SHA-256."""
    return {**size_entry(path), "sha256": sha256(path)}


def size_entry(path):
    """Return the manifest entry of a file, with its size."""
    return {"bytes": os.path.getsize(path)}


def is_listed(path, *entries):
    """Return True if one of the entries lists the size of a file.

    Entries that are None are skipped.
    """
    sizes = [entry["bytes"] for entry in entries if entry]
    return os.path.isfile(path) and os.path.getsize(path) in sizes


def manifest_path_for(path):
    """Return the path of the manifest of a single file.

    The name begins with "manifest-", so that glob patterns for the files
    do not match it.
    """
    path = pathlib.Path(path)
    return path.with_name(f"manifest-{path.name}.json")


def manifest_values(entries, context):
    """Return the contents of a manifest.

    Args:
        entries: dict mapping names of files, relative to the manifest's folder,
            to `size_entry` or `file_entry`.
        context: JSON-serializable dict.
    """
    made = {"made_by": _MADE_BY, "command": sys.argv}
    return {**made, **context, "files": entries}


def write_manifest(path, files, context):
    """Write a manifest with the sizes and the SHA-256 of files.

    Args:
        path: str, "manifest.json" in the files' directory, or
            `manifest_path_for` a single file.
        files: dict mapping names, relative to the manifest's folder, to the
            current paths of the files.
        context: JSON-serializable dict.
    """
    entries = {name: file_entry(file) for name, file in files.items()}
    write_json(path, manifest_values(entries, context))


def record_directory(directory, context=None):
    """Write a manifest with the sizes of all files in a directory.

    Args:
        directory: str.
        context: JSON-serializable dict, settings for the manifest.
    """
    entries = {
        name: size_entry(path)
        for name, path in files_below(directory).items()
        if name not in (MANIFEST, LOCK)
    }
    values = manifest_values(entries, context or {})
    write_json(pathlib.Path(directory, MANIFEST), values)


def files_below(directory):
    """Return all files of a directory by their relative names."""
    return {
        path.relative_to(directory).as_posix(): path
        for path in sorted(pathlib.Path(directory).rglob("*"))
        if path.is_symlink() or not path.is_dir()
    }


def read_manifest(path):
    """Return the values of a manifest of this library, or None."""
    try:
        values = json.loads(pathlib.Path(path).read_text("utf-8"))
        versions = [values, values.get(FORMER, values)]
        is_own = all(
            version["made_by"] == _MADE_BY
            and all(_is_entry(*item) for item in version["files"].items())
            for version in versions
        )
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None
    except RecursionError:  # The file is nested too deeply.
        return None
    return values if is_own else None


def _is_entry(name, entry):
    """Return whether an entry lists the size of a file in the folder."""
    path = pathlib.PurePath(name)
    is_inside = not path.is_absolute() and ".." not in path.parts
    return is_inside and type(entry["bytes"]) is int


def own_files(directory):
    """Return the entries of a directory's manifest, or {}.

    The dict also has an entry for the manifest.
    """
    manifest = pathlib.Path(directory, MANIFEST)
    values = read_manifest(manifest)
    return {**values["files"], MANIFEST: size_entry(manifest)} if values else {}


def manifest_of(path):
    """Return the manifest in a file's folder that lists the file.

    Args:
        path: str, an existing file.

    Returns:
        The path and the values of the manifest, or two None if no manifest
        lists the file.

    Raises:
        ValueError: a manifest lists the file with a different size or hash.
    """
    manifest, values = listing_of(path)
    if manifest is not None and not _has_entry(path, values):
        raise ValueError(
            f"{path} has changed: {manifest} lists a different size or "
            "hash. Create both again. If the change is intended, delete "
            "the manifest."
        )
    return manifest, values


def listing_of(path):
    """Return the manifest that lists a file, which may have changed.

    Args:
        path: str.

    Returns:
        As `manifest_of`.
    """
    path = pathlib.Path(path)
    for candidate in sorted(path.parent.glob("manifest*.json")):
        values = read_manifest(candidate)
        if values and path.name in values["files"]:
            former = values.pop(FORMER, None)
            is_former = former and path.name in former["files"]
            if is_former and _has_entry(path, former):
                return candidate, former
            return candidate, values
    return None, None


def _has_entry(path, values):
    """Return whether a file has the size and the hash of its entry."""
    listed = values["files"][os.path.basename(path)]
    entry = file_entry if "sha256" in listed else size_entry
    return is_listed(path, listed) and entry(path) == listed
