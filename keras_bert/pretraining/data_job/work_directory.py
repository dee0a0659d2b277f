"""Work directory of the data tool: finished pieces, kept until all is done."""

import collections
import contextlib
import os
import pathlib

from keras_bert import artifacts


class RecordsDirectory:
    """Hidden work directory next to the records, with the pieces of a run.

    Args:
        manifest_path: str, the manifest of the records; it is written last.
        output_files: list of str, the final names.

    Attributes:
        path: `pathlib.Path` of the directory.
        shard_stems: list of str, for each output file the path of its piece
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
        """Return the path of a piece without suffix."""
        return str(self.path / name)

    def check_output(self, overwrite):
        """Raise ValueError unless the output may be written or is whole.

        Returns:
            The manifest of a finished run that is to be kept, or None.
        """
        manifest = artifacts.read_manifest(self._manifest)
        if self._manifest.exists() and "settings" not in (manifest or {}):
            raise ValueError(
                f"{self._manifest} must be the manifest of an earlier run. "
                "Received: another file. Move it away."
            )
        is_begun = artifacts.read_manifest(self.path / artifacts.MANIFEST)
        listed = manifest["files"] if manifest else {}
        if manifest and not is_begun and not overwrite:
            lost = [
                str(path)
                for path in self._outputs
                if not artifacts.is_listed(path, listed.get(path.name))
            ]
            if lost:
                raise ValueError(
                    f"The records that {self._manifest} lists must exist as "
                    "they were written. Pass overwrite=True to make them "
                    "again, and move changed ones away. Missing or changed: "
                    f"{', '.join(lost[:3])}."
                )
            return manifest
        for stem, path in zip(self.shard_stems, self._outputs, strict=True):
            piece = (read_piece(stem) or {}).get("file")
            is_own = artifacts.is_listed(path, piece, listed.get(path.name))
            if os.path.lexists(path) and not is_own:
                artifacts.check_overwrite(path, False, overwrite)
        return None

    def finish(self, context):
        """Rename the finished shards, then write the manifest.

        Until then a manifest that is replaced lists other hashes.

        Args:
            context: dict for JSON, the contents of the manifest besides the
                settings.
        """
        entries = {}
        for stem, path in zip(self.shard_stems, self._outputs, strict=True):
            made = f"{stem}.tfrecord"
            if os.path.exists(made):  # Not yet moved by a killed run.
                os.replace(made, path)
            entries[path.name] = read_piece(stem)["file"]
        replaced = artifacts.read_manifest(self._manifest) or {"files": {}}
        artifacts.remove_listed(
            self._manifest.parent, replaced["files"], kept=entries
        )
        settings = artifacts.read_json(self.path / artifacts.MANIFEST)
        context = {"settings": settings["settings"], **context}
        values = artifacts.manifest_values(entries, context)
        artifacts.write_json(self._manifest, values)


@contextlib.contextmanager
def work_directory(manifest_path, output_files, make_settings, overwrite):
    """Yield a `RecordsDirectory`, or None if the run has finished.

    A run with the same settings resumes. After bad input (a ValueError)
    nothing is left; after any other error, also SIGKILL, all finished pieces.

    Args:
        manifest_path: str, the manifest of the records; it is written last.
        output_files: list of str, the final names.
        make_settings: function that returns a dict for JSON, what the output
            depends on; it may take long.
        overwrite: bool, drop the pieces of an earlier run with other settings
            and, at the end, its output.

    Raises:
        ValueError: the settings differ from an earlier run's, other files
            have the final names, or another process is at work.
    """
    work = RecordsDirectory(manifest_path, output_files)
    finished = work.check_output(overwrite)
    settings = {"settings": make_settings()}
    if finished:
        artifacts.check_settings(finished, settings, manifest_path)
        artifacts.remove_leftovers(work.path)
        yield None
        return
    with artifacts.resumable(work.path, settings, overwrite=overwrite):
        try:
            yield work
        except ValueError:
            artifacts.discard(work.path)
            raise
        except OSError as error:
            raise OSError(
                f"{error}. Finished work is kept in {work.path}; run the same "
                "command to continue."
            ) from error


def finish_piece(stem, counts, **context):
    """Record that a piece is done, its counts, and what to know of it."""
    artifacts.write_json(f"{stem}.json", {"counts": counts, **context})


def read_piece(stem):
    """Return the dict that `finish_piece` wrote, or None."""
    return artifacts.read_json(f"{stem}.json")


def summed_counts(stems):
    """Return the sum of the counts of finished pieces, a Counter."""
    counts = collections.Counter()
    for stem in stems:
        counts.update(read_piece(stem)["counts"])
    return counts
