"""What a run has finished, kept until all is done."""

import contextlib
import errno
import fcntl
import json
import os
import pathlib
import shutil

from keras_bert.files import whole_file


class WorkDirectory:
    """A hidden directory beside the output with the finished pieces.

    A run with the same settings goes on with them, one with other settings is
    refused. Bad input (a ValueError) leaves nothing behind, anything else,
    also SIGKILL, all that was finished.

    Args:
        manifest_path: str, the file that says that all is done.
        output_files: list of str, the final names.
        settings: dict for JSON; what the output depends on.
        overwrite: bool, drop the pieces of an earlier run and, once all is
            done, its output.

    Raises:
        ValueError: the settings differ from those of the earlier run, files
            of an unknown run are in the way, or another process is at work.
    """

    def __init__(self, manifest_path, output_files, settings, overwrite):
        self._manifest_path = pathlib.Path(manifest_path)
        self._output_files = [pathlib.Path(path) for path in output_files]
        self._settings = json.loads(json.dumps(settings))
        self._overwrite = overwrite
        self.path = self._manifest_path.with_name(
            f".{self._manifest_path.name}.work"
        )
        self._settings_path = self.path / "settings.json"

    def __enter__(self):
        self._lock = self._take_lock()
        try:
            self._clear()
            self._check_settings()
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

    def finish(self, stems, manifest):
        """Gives the records their names, then writes the manifest."""
        self._manifest_path.unlink(missing_ok=True)
        for stem, output in zip(stems, self._output_files):
            made = pathlib.Path(f"{stem}.tfrecord")
            if made.exists():
                _move(made, output)
        made = self.path / "manifest.json"
        write_json(made, {"settings": self._settings, **manifest})
        _move(made, self._manifest_path)
        self._settings_path.unlink()

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

    def _clear(self):
        """Drops the unfinished; with `overwrite` all that was begun."""
        for path in self.path.iterdir():
            is_left_over = self._overwrite or path.name.endswith(".tmp")
            if is_left_over and path.name != "lock":
                path.unlink()

    def _check_settings(self):
        known_from = self._settings_path
        if not known_from.exists():
            known_from = self._manifest_path
        if self._overwrite or not known_from.exists():
            self._check_free()
            write_json(self._settings_path, {"settings": self._settings})
            return
        differences = _differences(_read_settings(known_from), self._settings)
        if differences:
            raise ValueError(
                "The settings must be those of the earlier run, which "
                f"{known_from} records; --overwrite starts anew. Received: "
                f"{'; '.join(differences)}."
            )
        missing = [str(p) for p in self._output_files if not p.exists()]
        if known_from == self._manifest_path and missing:
            raise ValueError(
                f"The output of the finished run of {known_from} must be "
                "there; --overwrite makes it anew. Missing: "
                f"{', '.join(missing[:3])}."
            )

    def _check_free(self):
        for path in self._output_files:
            if path.is_dir() or (path.exists() and not self._overwrite):
                raise ValueError(
                    "Output files must be new; --overwrite replaces files. "
                    f"Received: {path}."
                )


def _move(path, new_path):
    try:
        os.replace(path, new_path)
    except OSError as error:
        if error.errno != errno.EXDEV:  # It is on another disk.
            raise
        with whole_file(new_path) as name:
            shutil.copyfile(path, name)
        path.unlink()


def _read_settings(path):
    try:
        return dict(read_json(path)["settings"])
    except (ValueError, TypeError, KeyError):
        raise ValueError(
            f"{path} must be of an earlier run; --overwrite replaces it. "
            "Received: a file without settings."
        ) from None


def _differences(old, new, prefix=""):
    """Lines that name what differs between two nested dicts."""
    lines = []
    for key in sorted({*old, *new}):
        before, after = old.get(key), new.get(key)
        if isinstance(before, dict) and isinstance(after, dict):
            lines += _differences(before, after, f"{prefix}{key}: ")
        elif before != after:
            lines.append(f"{prefix}{key} was {before!r}, now {after!r}")
    return lines


def read_json(path):
    """The contents of a JSON file, or None if there is none."""
    path = pathlib.Path(path)
    if not path.exists():
        return None
    return json.loads(path.read_text(encoding="utf-8"))


def write_json(path, values):
    """Writes a JSON file, whole or not at all."""
    with whole_file(path) as name:
        text = json.dumps(values, indent=2) + "\n"
        pathlib.Path(name).write_text(text, encoding="utf-8")
