"""Facts about record files, from their manifests and from flags."""

import concurrent.futures
import dataclasses
import pathlib

from absl import logging

from keras_bert import artifacts
from keras_bert.files import total_size
from keras_bert.pretraining.examples.packings import PACKINGS

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
# Dynamic records leave the number of predictions to the training.
_FREE_IF_DYNAMIC = "max_predictions_per_seq"


@dataclasses.dataclass(frozen=True)
class RecordFacts:
    """Facts on record files that are known without reading them.

    Args:
        hashes: dict from paths to the SHA-256 of the files.
        claims: dict from the name of a fact to a dict from manifests, the
            paths, to values. Facts are "vocabulary", a hash; "tokenizer", a
            dict, from `facts` of its kind; "do_lower_case"; "masking";
            "packing"; "max_seq_length"; and "max_predictions_per_seq".
    """

    hashes: dict
    claims: dict

    def settled(self, name, flag, default):
        """Return the value on which flag and manifests agree.

        Args:
            name: str, the name of the fact and of its flag.
            flag: the value of the flag; None if it was not passed.
            default: the value if nothing says it.

        Raises:
            ValueError: two of them differ.
        """
        claims = self.claims[name]
        is_dynamic = "dynamic" in self.claims["masking"].values()
        if name == _FREE_IF_DYNAMIC and is_dynamic:
            agree = len({*claims.values()}) == 1
            claims = claims if flag is None and agree else {}
        elif flag is not None:
            claims = {f"--{name}": flag, **claims}
        if not claims:
            return default if flag is None else flag
        source, value = next(iter(claims.items()))
        for other, claim in claims.items():
            if claim != value:
                raise ValueError(
                    f"`{name}` must be one for all records and as they were "
                    f"made. Received: {source} says {value}, {other} says "
                    f"{claim}."
                )
        if flag is None:
            logging.info("%s says %s=%s.", source, name, value)
        return value

    def check_vocabulary(self, vocabulary, source):
        """Raise ValueError unless the records are of this vocabulary."""
        self._check("vocabulary", lambda x: x == vocabulary.sha256, source)

    def check_tokenizer(self, settings, source):
        """Raise ValueError unless the records are of a tokenizer like this."""
        facts = settings.facts().get("tokenizer", {})
        self._check(
            "tokenizer",
            lambda x: all(
                facts.get(k, value) == value for k, value in x.items()
            ),
            source,
        )

    def check_packing(self, objective):
        """Raise ValueError unless the records fit an objective."""
        fitting = [
            name
            for name, packing in PACKINGS.items()
            if objective.label in ("", packing.label)
            and (objective.reads_packed or not packing.joins)
        ]
        needed = f"--packing={' or '.join(fitting)}"
        needed = f"{needed} for --objective={objective.name}"
        self._check("packing", fitting.__contains__, needed)

    def _check(self, name, fits, source):
        for manifest, value in self.claims[name].items():
            if not fits(value):
                raise ValueError(
                    f"The records must be made with {source}. Received: "
                    f"{manifest} says {name}={value}. Make the records again, "
                    "or change the flag."
                )

    def confirms(self, vocabulary):
        """Return True if a manifest names this vocabulary."""
        return vocabulary.sha256 in self.claims["vocabulary"].values()


def read_record_facts(paths):
    """Read the manifests beside record files, as `RecordFacts`.

    Files without a manifest, made elsewhere, are known by their hash only.

    Raises:
        ValueError: a file differs from what its manifest says.
    """
    logging.info("Taking the hashes of %s.", total_size(paths))
    with concurrent.futures.ThreadPoolExecutor(_THREADS) as threads:
        found = [*threads.map(_look_at, paths)]
    claims = {name: {} for name in _FACTS}
    for _, manifest, settings in found:
        parts = settings.get("text", {}), settings.get("examples", {})
        values = {**parts[0], **parts[1], **settings}
        for name in _FACTS:
            if values.get(name) is not None:
                claims[name][str(manifest)] = values[name]
    hashes = {
        path: value for path, (value, _, _) in zip(paths, found, strict=True)
    }
    return RecordFacts(hashes, claims)


def verified_sha256(path):
    """Return the SHA-256 of a file, checked against its manifest."""
    return _look_at(path)[0]


def _look_at(path):
    """Return the hash of a file, its manifest and the settings in it."""
    manifest, values = artifacts.manifest_of(path)
    if manifest is None:
        return artifacts.sha256(path), None, {}
    listed = values["files"][pathlib.Path(path).name].get("sha256")
    # Manifests of checkpoints list sizes only.
    digest = listed or artifacts.sha256(path)
    return digest, manifest, values.get("settings", {})
