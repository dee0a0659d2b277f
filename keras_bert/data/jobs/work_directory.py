"""The finished pieces of a run, kept until all is done."""

import collections
import contextlib
import json
import os
import pathlib

from keras_bert import artifacts


class WorkDirectory:
    """A hidden directory beside the output, for the pieces of a run.

    Args:
        manifest_path: str, the file that says that all is done.
        output_files: list of str, the final names.

    Attributes:
        path: `pathlib.Path` of the directory.
        shard_stems: list of str, where the files of the shards go, one for each
            output file.
    """

    def __init__(self, manifest_path, output_files):
        self._manifest = pathlib.Path(manifest_path)
        self._outputs = [pathlib.Path(path) for path in output_files]
        name = f".{self._manifest.name}.work"
        self.unfinished = artifacts.Unfinished(self._manifest.with_name(name))
        self.path = self.unfinished.place
        count = len(self._outputs)
        self.shard_stems = [self.stem(f"shard-{n:05d}") for n in range(count)]
        # The manifest of the output that is being replaced.
        self._replaced = self.path / "replaced.json"

    def stem(self, name):
        """The path of the files of a piece, without their suffix."""
        return str(self.path / name)

    def check_output(self, overwrite):
        """Refuses files that are neither of this run nor to be replaced.

        Returns:
            The manifest of a finished run, which is to be kept; or None.
        """
        manifest = artifacts.read_manifest(self._manifest)
        if self._manifest.exists() and "settings" not in (manifest or {}):
            raise ValueError(
                f"{self._manifest} must be of an earlier run. Received: "
                "a file that is no manifest of such a run. Move it away."
            )
        is_begun = self.unfinished.is_begun
        if manifest and not is_begun and not overwrite:
            return manifest
        known = self._replaced_entries() if is_begun else {}
        for stem, path in zip(self.shard_stems, self._outputs, strict=True):
            piece = artifacts.read_json(f"{stem}.json") or {}
            entries = [known.get(path.name), piece.get("file")]
            if not artifacts.is_listed(path, *entries):
                self._check_free(path, overwrite)
        return None

    def _replaced_entries(self):
        """The files of an earlier run, as the manifest that is left says."""
        places = (self._replaced, self._manifest)
        found = [*map(artifacts.read_manifest, places), {"files": {}}]
        return next(filter(None, found))["files"]

    def _check_free(self, path, overwrite):
        artifacts.check_output_files([path], overwrite=overwrite)
        if path.exists():
            manifest, _ = artifacts.manifest_of(path)
            if manifest.name != self._manifest.name:
                raise ValueError(
                    "Files that were written together must be replaced "
                    f"together, by the same output files. Received: {path}, "
                    f"which {manifest} lists."
                )

    def check_whole(self, manifest):
        """Raises ValueError unless the output of a finished run is there."""
        lost = [
            str(path)
            for path in self._outputs
            if not artifacts.is_listed(path, manifest["files"].get(path.name))
        ]
        if lost:
            raise ValueError(
                "The output of the finished run of "
                f"{self._manifest} must be there as it was written; "
                "overwrite=True makes anew what is missing, move away what was "
                f"changed. Missing or changed: {', '.join(lost[:3])}."
            )

    def finish(self, settings, about):
        """Gives the records their names, then writes the manifest.

        All shards are finished pieces, and "file" of each is what the
        manifest lists.

        Args:
            settings: dict for JSON, from `work_directory`.
            about: dict for JSON, what else the manifest holds.
        """
        if self._manifest.exists():
            os.replace(self._manifest, self._replaced)
        entries = {}
        for stem, path in zip(self.shard_stems, self._outputs, strict=True):
            made = f"{stem}.tfrecord"
            if os.path.exists(made):  # Not yet moved by a killed run.
                os.replace(made, path)
            entries[path.name] = artifacts.read_json(f"{stem}.json")["file"]
        artifacts.remove_stale(
            self._manifest.parent, self._replaced_entries(), entries
        )
        values = artifacts.manifest_values(
            entries, {"settings": settings, **about}
        )
        made = self.path / "finished.json"
        artifacts.write_json(made, values)
        os.replace(made, self._manifest)
        self.unfinished.discard()


@contextlib.contextmanager
def work_directory(manifest_path, output_files, make_settings, overwrite):
    """Gives a `WorkDirectory` and the settings; None where all is done.

    A run with the same settings goes on with the pieces, one with other
    settings is refused. Bad input (a ValueError) leaves nothing behind,
    anything else, also SIGKILL, all that was finished.

    Args:
        manifest_path: str, the file that says that all is done.
        output_files: list of str, the final names.
        make_settings: function that gives a dict for JSON, what the output
            depends on; it may take long.
        overwrite: bool, drop the pieces of an earlier run with other settings
            and, once all is done, its output.

    Raises:
        ValueError: the settings differ from those of the earlier run, files
            that are not ours are in the way, or another process is at work.
    """
    work = WorkDirectory(manifest_path, output_files)
    with work.unfinished as unfinished:
        finished = work.check_output(overwrite)
        settings = json.loads(json.dumps(make_settings()))
        if finished:
            about = {"settings": settings}
            artifacts.check_settings(finished, about, manifest_path)
            work.check_whole(finished)
            yield None, settings
            return
        unfinished.begin({"settings": settings}, overwrite=overwrite)
        try:
            yield work, settings
        except ValueError:
            unfinished.discard()
            raise
        except OSError as error:
            raise OSError(
                f"{error}. What is done is kept in {work.path}; the same "
                "command goes on from there."
            ) from error


def finish_piece(stem, counts, **about):
    """Says that the piece of a stem is done, and what to know of it."""
    artifacts.write_json(f"{stem}.json", {"counts": counts, **about})


def read_piece(stem):
    """A dict, as written by `finish_piece`; None while it is not done."""
    return artifacts.read_json(f"{stem}.json")


def summed_counts(stems):
    """The counts of finished pieces, a Counter."""
    counts = collections.Counter()
    for stem in stems:
        counts.update(read_piece(stem)["counts"])
    return counts
