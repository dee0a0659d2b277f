"""Work directory for pre-training records that allows runs to resume."""

import collections
import contextlib
import os
import pathlib

from keras_bert.files.atomic import move
from keras_bert.files.atomic import read_json
from keras_bert.files.atomic import remove_leftovers
from keras_bert.files.atomic import write_json
from keras_bert.files.manifest import MANIFEST
from keras_bert.files.manifest import is_listed
from keras_bert.files.manifest import manifest_values
from keras_bert.files.manifest import read_manifest
from keras_bert.files.outputs import check_overwrite
from keras_bert.files.outputs import remove_listed
from keras_bert.files.resumable import check_same_settings
from keras_bert.files.resumable import discard
from keras_bert.files.resumable import resumable_directory


class RecordsDirectory:
    """Hidden work directory next to the records that stores finished pieces.

    Args:
        manifest_path: str, path of the manifest, which is written last.
        output_files: list of str, final paths of the records.

    Attributes:
        path: `pathlib.Path` of the directory.
        shard_stems: list of str, path of the piece for each output file,
            without suffix.
    """

    def __init__(self, manifest_path, output_files):
        self._manifest = pathlib.Path(manifest_path)
        self._outputs = [pathlib.Path(path) for path in output_files]
        name = f".{self._manifest.name}.work"
        self.path = self._manifest.with_name(name)
        count = len(self._outputs)
        self.shard_stems = [self.stem(f"shard-{n:05d}") for n in range(count)]

    def stem(self, name):
        """Return the path of a piece without its suffix."""
        return str(self.path / name)

    def check_output(self, overwrite):
        """Check that the output can be written or is already complete.

        Returns:
            The manifest if the run has already finished, else None.

        Raises:
            ValueError: an output file exists and may not be replaced, or a
                finished run has missing or changed files.
        """
        manifest = read_manifest(self._manifest)
        if self._manifest.exists() and "settings" not in (manifest or {}):
            raise ValueError(
                f"{self._manifest} exists but is not the manifest of an "
                "earlier run. Move or delete it."
            )
        is_begun = read_manifest(self.path / MANIFEST)
        listed = manifest["files"] if manifest else {}
        if manifest and not is_begun and not overwrite:
            lost = [
                str(path)
                for path in self._outputs
                if not is_listed(path, listed.get(path.name))
            ]
            if lost:
                raise ValueError(
                    f"The records that {self._manifest} lists must exist "
                    "unchanged. Pass overwrite=True to create them again, "
                    "and move or delete changed files. Missing or changed: "
                    f"{', '.join(lost[:3])}."
                )
            return manifest
        for stem, path in zip(self.shard_stems, self._outputs, strict=True):
            piece = (read_piece(stem) or {}).get("file")
            is_own = is_listed(path, piece, listed.get(path.name))
            if os.path.lexists(path) and not is_own:
                check_overwrite(path, False, overwrite)
        return None

    def finish(self, context):
        """Rename the finished shards, then write the manifest.

        Args:
            context: JSON-serializable dict, additional entries of the manifest.
        """
        entries = {}
        for stem, path in zip(self.shard_stems, self._outputs, strict=True):
            made = f"{stem}.tfrecord"
            if os.path.exists(made):  # A killed run may have renamed it.
                move(made, path)
            entries[path.name] = read_piece(stem)["file"]
        replaced = read_manifest(self._manifest) or {"files": {}}
        remove_listed(self._manifest.parent, replaced["files"], kept=entries)
        settings = read_json(self.path / MANIFEST)
        context = {"settings": settings["settings"], **context}
        values = manifest_values(entries, context)
        write_json(self._manifest, values)


@contextlib.contextmanager
def work_directory(manifest_path, output_files, make_settings, overwrite):
    """Context manager that yields a `RecordsDirectory`, or None if finished.

    A run with the same settings resumes. After invalid input (a ValueError)
    the directory is deleted. After any other error, or if the process is
    killed, the finished pieces are kept.

    Args:
        manifest_path: str, path of the manifest, which is written last.
        output_files: list of str, final paths of the records.
        make_settings: callable without arguments that returns a
            JSON-serializable dict with the settings that affect the output. It
            may be slow.
        overwrite: bool, whether to delete the pieces of an earlier run with
            different settings and, at the end, its output.

    Raises:
        ValueError: an earlier run had different settings, an output file exists
            and may not be replaced, or another process uses the directory.
    """
    work = RecordsDirectory(manifest_path, output_files)
    finished = work.check_output(overwrite)
    settings = {"settings": make_settings()}
    if finished:
        check_same_settings(finished, settings, manifest_path)
        remove_leftovers(work.path)
        yield None
        return
    with resumable_directory(work.path, settings, overwrite=overwrite):
        try:
            yield work
        except ValueError:
            discard(work.path)
            raise
        except OSError as error:
            raise OSError(
                f"{error}. Finished work is kept in {work.path}; run the same "
                "command to continue."
            ) from error


def finish_piece(stem, counts, **context):
    """Mark a piece as finished and save its counts and other information."""
    write_json(f"{stem}.json", {"counts": counts, **context})


def read_piece(stem):
    """Return the dict saved by `finish_piece`, or None."""
    return read_json(f"{stem}.json")


def summed_counts(stems):
    """Return a Counter with the total counts of finished pieces."""
    counts = collections.Counter()
    for stem in stems:
        counts.update(read_piece(stem)["counts"])
    return counts
