"""What a run has finished, kept until all is done."""

import contextlib
import errno
import fcntl
import json
import os
import pathlib
import shutil

from keras_bert.artifacts import check_output_files
from keras_bert.artifacts import file_entry
from keras_bert.artifacts import find_differences
from keras_bert.artifacts import manifest_of
from keras_bert.artifacts import manifest_values
from keras_bert.artifacts import read_json
from keras_bert.artifacts import read_manifest
from keras_bert.artifacts import whole_file
from keras_bert.artifacts import write_json
from keras_bert.data.build.pieces import read_piece
from keras_bert.data.build.settings import read_settings


class WorkDirectory:
    """A hidden directory beside the output with the finished pieces.

    A run with the same settings goes on with them, one with other settings is
    refused. Bad input (a ValueError) leaves nothing behind, anything else,
    also SIGKILL, all that was finished.

    Output is new, or of an earlier run: that of the manifest, which
    `overwrite` replaces as a whole, or that which this directory tells of.

    Args:
        manifest_path: str, the file that says that all is done.
        output_files: list of str, the final names.
        settings: function that gives a dict for JSON, what the output depends
            on; it may take long.
        overwrite: bool, drop the pieces of an earlier run and, once all is
            done, its output.

    Raises:
        ValueError: the settings differ from those of the earlier run, files
            that are not ours are in the way, or another process is at work.
    """

    def __init__(self, manifest_path, output_files, settings, overwrite):
        self._manifest_path = pathlib.Path(manifest_path)
        self._output_files = [pathlib.Path(path) for path in output_files]
        self._make_settings = settings
        self._overwrite = overwrite
        self.path = self._manifest_path.with_name(
            f".{self._manifest_path.name}.work"
        )
        self._settings_path = self.path / "settings.json"

    def __enter__(self):
        self._lock = self._take_lock()
        try:
            self._drop(lambda path: path.name.endswith(".tmp"))
            self._check_output()
            made = json.dumps(self._make_settings())
            self._settings = json.loads(made)
            self._begin()
        except BaseException:
            self._leave()
            raise
        return self

    def __exit__(self, error_type, error, traceback):
        if error_type is not None and issubclass(error_type, ValueError):
            self._settings_path.unlink()
        self._leave()
        if isinstance(error, OSError):
            raise OSError(
                f"{error}. What is done is kept in {self.path}; the same "
                "command goes on from there."
            ) from error

    @property
    def counts(self):
        """The counts of a finished run, or None."""
        if self._settings_path.exists():
            return None
        return read_json(self._manifest_path)["counts"]

    def stem(self, name):
        """Where the files of a piece go, without their suffix."""
        return str(self.path / name)

    @property
    def shard_stems(self):
        """Where the files of the shards go, one for each output file."""
        count = len(self._output_files)
        return [self.stem(f"shard-{number:05d}") for number in range(count)]

    def finish(self, manifest):
        """Gives the records their names, then writes the manifest.

        All shards are finished pieces, and "file" of each is what the
        manifest lists.

        Args:
            manifest: dict for JSON, what else it holds.
        """
        self._manifest_path.unlink(missing_ok=True)
        entries = {}
        for stem, output in zip(self.shard_stems, self._output_files):
            made = pathlib.Path(f"{stem}.tfrecord")
            if made.exists():
                _move(made, output)
            entries[output.name] = read_piece(stem)["file"]
        self._remove_replaced(entries)
        made = self.path / "manifest.json"
        about = {"settings": self._settings, **manifest}
        write_json(made, manifest_values(entries, about))
        _move(made, self._manifest_path)
        self._settings_path.unlink()

    def _remove_replaced(self, entries):
        """Removes files of the earlier run that have no successor."""
        replaced = read_json(self._settings_path)["replaced"]
        for name, entry in replaced.items():
            path = self._manifest_path.with_name(name)
            if name not in entries and _is_one_of(path, [entry]):
                path.unlink()

    def _take_lock(self):
        """Locks the directory, which another process may just remove."""
        path = self.path / "lock"
        while True:
            self.path.mkdir(parents=True, exist_ok=True)
            with (
                contextlib.suppress(FileNotFoundError),
                contextlib.ExitStack() as stack,
            ):
                lock = stack.enter_context(open(path, "w"))
                self._lock_file(lock)
                if os.path.samestat(os.fstat(lock.fileno()), path.stat()):
                    stack.pop_all()
                    return lock

    def _lock_file(self, file):
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ValueError(
                f"Another process is at work on {self._manifest_path}."
            ) from None

    def _leave(self):
        """Lets go; without settings nothing was begun or all is finished."""
        if not self._settings_path.exists():
            # Another process may be making it anew.
            shutil.rmtree(self.path, ignore_errors=True)
        self._lock.close()

    def _drop(self, is_dropped):
        for path in self.path.iterdir():
            if is_dropped(path) and path.name != "lock":
                path.unlink()

    def _check_output(self):
        """Refuses what is in the way and neither of us nor to be replaced."""
        known = self._known_entries()
        manifest = read_manifest(self._manifest_path)
        is_finished = manifest is not None and not self._settings_path.exists()
        if manifest is None and self._manifest_path.exists():
            raise ValueError(
                f"{self._manifest_path} must be of an earlier run. Received: "
                "a file that is no manifest of ours. Move it away."
            )
        if is_finished and not self._overwrite:
            return  # The settings are compared first.
        for path in self._output_files:
            if not _is_one_of(path, known.get(path.name, [])):
                self._check_free(path)

    def _check_free(self, path):
        check_output_files([path], overwrite=self._overwrite)
        if not path.exists():
            return
        manifest, _ = manifest_of(path)
        if manifest.name != self._manifest_path.name:
            raise ValueError(
                "Files that were written together must be replaced together, "
                f"by the same output files. Received: {path}, which "
                f"{manifest} lists."
            )

    def _known_entries(self):
        """What the pieces of an unfinished run say of its output.

        Returns:
            A dict from names to lists of entries of a manifest: what is to be
            replaced, and the finished shard, which may have its name by now.
        """
        values = read_json(self._settings_path) or {"replaced": {}}
        if "replaced" not in values:
            raise ValueError(
                f"{self.path} must be of this version of the program. "
                "Received: the unfinished run of another one. Remove it."
            )
        known = {name: [entry] for name, entry in values["replaced"].items()}
        for stem, output in zip(self.shard_stems, self._output_files):
            piece = read_piece(stem)
            if piece:
                known.setdefault(output.name, []).append(piece["file"])
        return known

    def _begin(self):
        is_begun = self._settings_path.exists() and not self._overwrite
        is_finished = self._manifest_path.exists() and not self._overwrite
        if is_begun:
            self._check_settings(self._settings_path)
        elif is_finished:
            self._check_settings(self._manifest_path)
            self._check_whole()
        else:
            values = {"settings": self._settings, "replaced": self._replaced()}
            self._drop(lambda path: True)
            write_json(self._settings_path, values)

    def _replaced(self):
        """The output that is there, as entries of a manifest."""
        known = self._known_entries()
        manifest = read_manifest(self._manifest_path) or {"files": {}}
        for name, entry in manifest["files"].items():
            known.setdefault(name, []).append(entry)
        paths = {name: self._manifest_path.with_name(name) for name in known}
        return {
            name: file_entry(paths[name])
            for name, entries in known.items()
            if _is_one_of(paths[name], entries)
        }

    def _check_settings(self, known_from):
        recorded = read_settings(known_from)
        differences = find_differences(recorded, self._settings)
        if differences:
            raise ValueError(
                "The settings must be those of the earlier run, which "
                f"{known_from} records; overwrite=True starts anew. Received: "
                f"{'; '.join(differences)}."
            )

    def _check_whole(self):
        entries = read_manifest(self._manifest_path)["files"]
        changed = [
            str(path)
            for path in self._output_files
            if not _is_one_of(path, [*filter(None, [entries.get(path.name)])])
        ]
        if changed:
            raise ValueError(
                "The output of the finished run of "
                f"{self._manifest_path} must be there as it was written; "
                "overwrite=True makes anew what is missing, move away what was "
                f"changed. Missing or changed: {', '.join(changed[:3])}."
            )


def _is_one_of(path, entries):
    """Whether a file is there and one of the entries tells of it."""
    if not path.is_file():
        return False
    size = path.stat().st_size
    entries = [entry for entry in entries if entry["bytes"] == size]
    return bool(entries) and file_entry(path) in entries


def _move(path, new_path):
    try:
        os.replace(path, new_path)
    except OSError as error:
        if error.errno != errno.EXDEV:  # It is on another disk.
            raise
        with whole_file(new_path) as name:
            shutil.copyfile(path, name)
        path.unlink()
