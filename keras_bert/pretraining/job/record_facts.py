"""Settings of record files from manifests and arguments."""

import concurrent.futures
import dataclasses
import pathlib

from absl import logging

from keras_bert.files.manifest import manifest_of
from keras_bert.files.manifest import sha256
from keras_bert.files.patterns import total_size
from keras_bert.messages import errors_name
from keras_bert.pretraining.records.layouts import LAYOUTS

_THREADS = 8
_FACTS = (
    "vocabulary",
    "tokenizer",
    "do_lower_case",
    "masking",
    "packing",
    "max_seq_length",
    "max_predictions_per_seq",
)
# For dynamic records, training sets the number of predictions.
_UNSET_IF_DYNAMIC = "max_predictions_per_seq"


@dataclasses.dataclass(frozen=True)
class RecordFacts:
    """Settings of record files, read from their manifests.

    Args:
        hashes: dict mapping paths to the SHA-256 of the files.
        manifest_values: dict mapping the name of a setting to a dict that maps
            manifest paths to values. Settings are "vocabulary", a hash;
            "tokenizer", a dict returned by `facts` of the tokenizer settings;
            "do_lower_case"; "masking"; "packing"; "max_seq_length"; and
            "max_predictions_per_seq".
    """

    hashes: dict
    manifest_values: dict

    def resolve(self, name, flag, default):
        """Return a setting after checking it against the manifests.

        Args:
            name: str, the name of the setting and of its argument.
            flag: the value of the argument; None if it was not passed.
            default: the value if neither the argument nor a manifest has one.

        Raises:
            ValueError: two values differ.
        """
        values = self.manifest_values[name]
        is_dynamic = "dynamic" in self.manifest_values["masking"].values()
        if name == _UNSET_IF_DYNAMIC and is_dynamic:
            agree = len({*values.values()}) == 1
            values = values if flag is None and agree else {}
        elif flag is not None:
            values = {f"`{name}`": flag, **values}
        if not values:
            return default if flag is None else flag
        source, value = next(iter(values.items()))
        for other, other_value in values.items():
            if other_value != value:
                raise ValueError(
                    f"`{name}` must be the same in the recipe and in the "
                    f"manifests of all records. Received: {source} says "
                    f"{value}, {other} says {other_value}."
                )
        if flag is None:
            logging.info("%s says %s=%s.", source, name, value)
        return value

    def check_vocabulary(self, vocabulary, source):
        """Raise ValueError if the records have a different vocabulary."""
        self._check("vocabulary", lambda x: x == vocabulary.sha256, source)

    def check_tokenizer(self, settings, source):
        """Raise ValueError if the records have a different tokenizer."""
        facts = settings.facts().get("tokenizer", {})
        self._check(
            "tokenizer",
            lambda x: all(
                facts.get(k, value) == value for k, value in x.items()
            ),
            source,
        )

    def check_packing(self, objective):
        """Raise ValueError unless an objective supports the records."""
        fitting = [
            name
            for name, layout in LAYOUTS.items()
            if objective.label in ("", layout.label)
            and (objective.reads_packed or not layout.joins)
        ]
        needed = f"packing={' or '.join(fitting)}"
        needed = f"{needed} for objective={objective.name}"
        self._check("packing", fitting.__contains__, needed)

    def _check(self, name, fits, source):
        for manifest, value in self.manifest_values[name].items():
            if not fits(value):
                raise ValueError(
                    f"The records must be created with {source}. Received: "
                    f"{manifest} says {name}={value}. Create the records "
                    "again, or change the argument."
                )

    def confirms(self, vocabulary):
        """Return True if a manifest lists this vocabulary."""
        return vocabulary.sha256 in self.manifest_values["vocabulary"].values()


def read_record_facts(paths):
    """Read the manifests next to record files and return `RecordFacts`.

    Files created by other tools have no manifest, so only their hash is known.

    Raises:
        ValueError: a file differs from its manifest.
    """
    logging.info("Computing the hashes of %s.", total_size(paths))
    with concurrent.futures.ThreadPoolExecutor(_THREADS) as threads:
        results = [*threads.map(_hash_and_settings, paths)]
    manifest_values = {name: {} for name in _FACTS}
    for _, manifest, settings in results:
        with errors_name(manifest):
            parts = settings.get("text", {}), settings.get("examples", {})
            values = {**parts[0], **parts[1], **settings}
        for name in _FACTS:
            if values.get(name) is not None:
                manifest_values[name][str(manifest)] = values[name]
    hashes = {
        path: value for path, (value, _, _) in zip(paths, results, strict=True)
    }
    return RecordFacts(hashes, manifest_values)


def verified_sha256(path):
    """Return the SHA-256 of a file, checked against its manifest."""
    return _hash_and_settings(path)[0]


def _hash_and_settings(path):
    """Return the hash of a file, its manifest and the settings in it."""
    manifest, values = manifest_of(path)
    if manifest is None:
        return sha256(path), None, {}
    listed = values["files"][pathlib.Path(path).name].get("sha256")
    # Manifests of checkpoints list sizes only.
    digest = listed or sha256(path)
    return digest, manifest, values.get("settings", {})
