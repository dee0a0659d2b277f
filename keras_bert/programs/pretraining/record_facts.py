"""Facts on records, from their manifests and from flags."""

import concurrent.futures
import dataclasses
import pathlib

from absl import logging

from keras_bert import artifacts
from keras_bert.data.examples.packings import PACKINGS
from keras_bert.files import total_size

_THREADS = 8
# Paths of the facts in a manifest's settings.
_PLACES = {
    "vocabulary": ("vocabulary",),
    "tokenizer": ("text", "tokenizer"),
    "do_lower_case": ("text", "do_lower_case"),
    "masking": ("examples", "masking"),
    "packing": ("examples", "packing"),
    "max_seq_length": ("examples", "max_seq_length"),
    "max_predictions_per_seq": ("examples", "max_predictions_per_seq"),
}
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
        """The value on which flag and manifests agree.

        Args:
            name: str, the name of the fact and of its flag.
            flag: the value of the flag; None if it was not passed.
            default: the value if nothing says it.

        Raises:
            ValueError: two of them differ.
        """
        claims = self.claims[name]
        if name == _FREE_IF_DYNAMIC and self._are_dynamic():
            agree = len({*claims.values()}) == 1
            claims = claims if flag is None and agree else {}
        elif flag is not None:
            claims = {f"--{name}": flag, **claims}
        self._check_agreement(name, claims)
        if not claims:
            return default if flag is None else flag
        source, value = next(iter(claims.items()))
        if flag is None:
            logging.info("%s says %s=%s.", source, name, value)
        return value

    def check_vocabulary(self, vocabulary, source):
        """Raise ValueError unless the records are of this vocabulary."""
        for manifest, value in self.claims["vocabulary"].items():
            if value != vocabulary.sha256:
                raise ValueError(
                    f"The records must be made with {source}. Received: "
                    f"records of another vocabulary, says {manifest}. Pass "
                    "the vocabulary that they were made with, or make them "
                    "anew."
                )

    def check_tokenizer(self, settings, source):
        """Raise ValueError unless the records are of a tokenizer like this."""
        facts = settings.facts().get("tokenizer", {})
        for manifest, claimed in self.claims["tokenizer"].items():
            for name, value in claimed.items():
                if facts.get(name, value) != value:
                    raise ValueError(
                        f"The records must be made with {source}. Received: "
                        f"records of a tokenizer with {name}={value}, says "
                        f"{manifest}; here it is {facts[name]}. Make them "
                        "anew."
                    )

    def check_packing(self, objective):
        """Raise ValueError unless the records fit an objective."""
        fitting = [
            name
            for name, packing in PACKINGS.items()
            if objective.label in ("", packing.label)
            and (objective.reads_packed or not packing.joins)
        ]
        for manifest, name in self.claims["packing"].items():
            if name not in fitting:
                raise ValueError(
                    f"--objective={objective.name} needs records made with "
                    f"--packing={' or '.join(fitting)}. Received: records "
                    f"made with --packing={name}, says {manifest}. Make them "
                    "anew, or train with --objective=mlm."
                )

    def confirms(self, vocabulary):
        """Return True if a manifest names this vocabulary."""
        return vocabulary.sha256 in self.claims["vocabulary"].values()

    def _are_dynamic(self):
        return "dynamic" in self.claims["masking"].values()

    def _check_agreement(self, name, claims):
        if len({*claims.values()}) <= 1:
            return
        first, value = next(iter(claims.items()))
        other = next(key for key in claims if claims[key] != value)
        raise ValueError(
            f"`{name}` must be one for all records and as they were made. "
            f"Received: {first} says {value}, {other} says {claims[other]}."
        )


def read_record_facts(paths):
    """Read the manifests beside record files, as `RecordFacts`.

    Files without a manifest, made elsewhere, are known by their hash only.

    Raises:
        ValueError: a file differs from what its manifest says.
    """
    logging.info("Taking the hashes of %s.", total_size(paths))
    with concurrent.futures.ThreadPoolExecutor(_THREADS) as threads:
        found = [*threads.map(_look_at, paths)]
    claims = {name: {} for name in _PLACES}
    for _, manifest, settings in found:
        for name, place in _PLACES.items():
            value = _at(settings, place)
            if value is not None:
                claims[name][str(manifest)] = value
    hashes = {
        path: value for path, (value, _, _) in zip(paths, found, strict=True)
    }
    return RecordFacts(hashes, claims)


def verified_sha256(path):
    """The SHA-256 of a file, held to that of its manifest if it has one."""
    return _look_at(path)[0]


def _look_at(path):
    """Hash, manifest and settings of a file, held to its manifest."""
    manifest, values = artifacts.manifest_of(path)
    if manifest is None:
        return artifacts.sha256(path), None, {}
    listed = values["files"][pathlib.Path(path).name].get("sha256")
    # Manifests of checkpoints list sizes only.
    digest = listed or artifacts.sha256(path)
    return digest, manifest, values.get("settings", {})


def _at(settings, place):
    for key in place:
        settings = settings.get(key) if isinstance(settings, dict) else None
    return settings
