"""Checks that a failed or killed write loses nothing."""

import dataclasses
import fnmatch
import hashlib
import os
import pathlib
import shutil
import zipfile
from collections.abc import Callable

from keras_bert.files.manifest import is_listed
from keras_bert.files.manifest import listing_of
from keras_bert.files.manifest import manifest_of
from keras_bert.files.manifest import own_files
from keras_bert.files.manifest import read_manifest
from tests.faults import file_events

# Names of temporary files, of unfinished runs, and of logs with times.
_IGNORED = (
    ".*",
    "*.tmp",
    "*.unfinished",
    "*.work",
    "events.out.*",
    "metrics.jsonl",
)
_NUM_DISKS = 8
# Distance of the tried changes. `FAULTS_STEP=1` tries all and takes hours.
_STEP = int(os.environ.get("FAULTS_STEP", "20"))
# Graphs, whose nodes have varying names.
_VARYING = (".pb", ".onnx", ".tflite")


@dataclasses.dataclass(frozen=True)
class Writer:
    """Something that writes files.

    Args:
        write: function of a folder that writes into it. The folder may contain
            the output of an earlier call, or of an interrupted one.
        whole: function of the folder that reads the output; its value is that
            of the old or of the new output, never of a mixture. It is None
            without output.
    """

    write: Callable[[pathlib.Path], object]
    whole: Callable[[pathlib.Path], object] = lambda folder: None


class Trial:
    """Output of a writer before and after a successful call.

    Args:
        writer: `Writer`.
        start: path of a folder before the call.
        place: path of a new folder for the trials.
        snapshots: path of a new folder for copies of the trials.
    """

    def __init__(self, writer, start, place, snapshots):
        self._writer, self._start = writer, start
        self._place, self._snapshots = place / "trial", snapshots
        self.num_changes = 0
        self._begin()
        self._before = self._state()
        take = file_events.photographed(self._place, self._snapshots)

        def act(count, change):
            self.num_changes = count
            take(count, change)

        with file_events.observed(self._place, act):
            writer.write(self._place)
        self._after = self._state()

    def fail(self, number):
        """Fail at one change, and return the error or None."""
        self._begin()
        action = file_events.failing_at(number)
        with file_events.observed(self._place, action):
            error = self._error()
        self._check()
        return error

    def limit(self, size):
        """Fail when a file grows beyond a size; return the error or None."""
        self._begin()
        with file_events.limited_files(size):
            error = self._error()
        self._check()
        return error

    def fill(self, num_free):
        """Fail on a disk with a number of free bytes; return the error."""
        self._begin()
        filler = self._place.with_name("filler")
        free = shutil.disk_usage(self._place).free
        filler.write_bytes(bytes(max(0, free - num_free)))
        error = self._error()
        filler.unlink()
        self._check()
        return error

    def kill(self, number):
        """Go on from a folder as a process leaves it that is killed."""
        self._begin(self._snapshots / str(number))
        self._check()

    @property
    def sizes(self):
        """Return the sizes of the written files."""
        (before, _), (after, _) = self._before, self._after
        written = [x for name, x in after.items() if x != before.get(name)]
        return sorted({*map(len, written)})

    def _begin(self, folder=None):
        shutil.rmtree(self._place, ignore_errors=True)
        shutil.copytree(folder or self._start, self._place)

    def _error(self):
        try:
            self._writer.write(self._place)
        except Exception as error:
            return error
        return None

    def _check(self):
        """Check that files are old or new and that the next call succeeds."""
        (old, old_value), (new, new_value) = self._before, self._after
        files = contents_of(self._place)
        for name, content in files.items():
            assert content in (old.get(name), new.get(name)), name
        assert {*old} & {*new} <= {*files}
        value = self._writer.whole(self._place)
        assert value in (old_value, new_value)
        self._writer.write(self._place)
        files, value = self._state()
        different = {x for x in {*files, *new} if files.get(x) != new.get(x)}
        assert not different, different
        assert value == new_value

    def _state(self):
        value = self._writer.whole(self._place)
        files = contents_of(self._place)
        for name in files:
            manifest_of(self._place / name)  # An error if it has changed.
        return files, value


def try_all(writer, start, place):
    """Fail and kill a writer at its changes and at the end of each file.

    Args:
        writer, start, place: see `Trial`.
    """
    trial = Trial(writer, start, place, place / "killed")
    assert trial.num_changes
    for number in range(1, trial.num_changes + 1, _STEP):
        trial.fail(number)
        trial.kill(number)
    for size in trial.sizes:
        assert trial.limit(size - 1) is not None
    # `-s` shows the numbers.
    tried = len(range(1, trial.num_changes + 1, _STEP))
    print(f"{place}: {tried} of {trial.num_changes} changes failed and killed")


def fill_all(writer, start, place, snapshots):
    """Let a writer fail on disks with different numbers of free bytes.

    Args:
        writer, start, snapshots: see `Trial`.
        place: path of a folder on a small file system.
    """
    trial = Trial(writer, start, place, snapshots)
    most = 2 * sum(trial.sizes)
    errors = [trial.fill(most * n // _NUM_DISKS) for n in range(_NUM_DISKS)]
    for error in errors:
        assert error is None or "No space left on device" in str(error)
    assert errors[0] is not None


def contents_of(folder):
    """Return the contents of the files with final names."""
    return {
        str(path.relative_to(folder)): _content(path)
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not _is_ignored(str(path.relative_to(folder)))
    }


def _is_ignored(name):
    return any(
        fnmatch.fnmatch(part, pattern)
        for part in name.split("/")
        for pattern in _IGNORED
    )


def _content(path):
    """Return what a file contains apart from times and commands.

    Of a file that may differ between two equal runs, it is only whether it is
    whole, that is, whether its manifest lists its size.
    """
    if path.suffix == ".npz":  # The archive and its `about` contain times.
        with zipfile.ZipFile(path) as archive:
            names = [x for x in archive.namelist() if x != "about.npy"]
            return b"".join(map(archive.read, names))
    if path.name.startswith("manifest"):
        values = read_manifest(path)
        names = [name for name in values["files"] if not _is_ignored(name)]
        return repr((values["made_by"], sorted(names))).encode()
    for folder in path.parents:
        listed = own_files(folder).get(path.relative_to(folder).as_posix())
        if path.suffix in _VARYING and is_listed(path, listed):
            return b"whole"
    _, values = listing_of(path)
    if path.suffix in _VARYING and values:
        return b"whole"
    return path.read_bytes()


def digest(model):
    """Return a hash of the weights of a Keras model or `PretrainedModel`."""
    weights = getattr(model, "trainable_weights", None)
    weights = weights or model.weights.values()
    content = b"".join(weight.numpy().tobytes() for weight in weights)
    return hashlib.sha256(content).hexdigest()
