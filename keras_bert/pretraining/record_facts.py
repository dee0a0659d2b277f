"""What the manifests say of the records, and what the flags say of them."""

import concurrent.futures
import dataclasses
import pathlib

from absl import logging

from keras_bert.artifacts import manifest_of
from keras_bert.artifacts import sha256
from keras_bert.data.examples.packings import PACKINGS
from keras_bert.files import total_size
from keras_bert.text.tokenizer_kinds import KINDS

_THREADS = 8
# Where a fact stands in a manifest's settings.
_PLACES = {
    "vocabulary": ("vocabulary",),
    "tokenizer": ("text", "tokenizer"),
    "do_lower_case": ("text", "do_lower_case"),
    "masking": ("examples", "masking"),
    "packing": ("examples", "packing"),
    "max_seq_length": ("examples", "max_seq_length"),
    "max_predictions_per_seq": ("examples", "max_predictions_per_seq"),
}
# Of dynamic records, how many are predicted is up to the training.
_FREE_IF_DYNAMIC = "max_predictions_per_seq"


@dataclasses.dataclass(frozen=True)
class RecordFacts:
    """What is known of record files without reading them.

    Args:
        hashes: dict from paths to the SHA-256 of the files.
        claims: dict from the name of a fact to a dict from manifests, the
            paths, to values. Facts are "vocabulary", a hash; "tokenizer", a
            dict, as of `facts` of its kind; "do_lower_case"; "masking";
            "packing"; "max_seq_length"; and "max_predictions_per_seq".
    """

    hashes: dict
    claims: dict

    def settled(self, name, given, default):
        """The one value of a fact, of all that tell it.

        Args:
            name: str, the name of the fact and of its flag.
            given: the value of the flag; None where it was not given.
            default: the value where nothing tells.

        Raises:
            ValueError: two tell otherwise.
        """
        claims = self.claims[name]
        if name == _FREE_IF_DYNAMIC and self._are_dynamic():
            agree = len({*claims.values()}) == 1
            claims = claims if given is None and agree else {}
        elif given is not None:
            claims = {f"--{name}": given, **claims}
        self._check_agreement(name, claims)
        if not claims:
            return default if given is None else given
        source, value = next(iter(claims.items()))
        if given is None:
            logging.info("%s says %s=%s.", source, name, value)
        return value

    def check_vocabulary(self, vocabulary, source):
        """Raises ValueError unless the records are of this vocabulary.

        Args:
            vocabulary: `Vocabulary`.
            source: str, the file or directory it was read from.
        """
        for manifest, value in self.claims["vocabulary"].items():
            if value != vocabulary.sha256:
                raise ValueError(
                    f"The records must be made with {source}. Received: "
                    f"records of another vocabulary, says {manifest}. Pass "
                    "the vocabulary that they were made with, or make them "
                    "anew."
                )

    def check_tokenizer(self, settings, source):
        """Raises ValueError unless the records are of this tokenizer.

        Args:
            settings: settings of a tokenizer of the right vocabulary.
            source: str, the file or directory it was read from.
        """
        facts = KINDS[settings.kind].facts(settings).get("tokenizer", {})
        for manifest, told in self.claims["tokenizer"].items():
            for name, value in told.items():
                if facts.get(name, value) != value:
                    raise ValueError(
                        f"The records must be made with {source}. Received: "
                        f"records of a tokenizer with {name}={value}, says "
                        f"{manifest}; here it is {facts[name]}. Make them "
                        "anew."
                    )

    def check_packing(self, objective):
        """Raises ValueError unless the records have labels to learn from.

        Args:
            objective: `Objective`.
        """
        if not objective.label:
            return
        fitting = [
            name
            for name, packing in PACKINGS.items()
            if packing.label == objective.label
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
        """Whether a manifest says that the records are of this vocabulary."""
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
    """Reads what the manifests beside record files say.

    Files without a manifest, made elsewhere, are known by their hash only.

    Args:
        paths: list of str, existing files.

    Returns:
        `RecordFacts`

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
    hashes = {path: value for path, (value, _, _) in zip(paths, found)}
    return RecordFacts(hashes, claims)


def verified_sha256(path):
    """The SHA-256 of a file, held to that of its manifest if it has one."""
    return _look_at(path)[0]


def _look_at(path):
    """Hash, manifest and settings of a file."""
    manifest, values = manifest_of(path)
    if manifest is None:
        return sha256(path), None, {}
    listed = values["files"][pathlib.Path(path).name]
    return listed["sha256"], manifest, values.get("settings", {})


def _at(settings, place):
    for key in place:
        settings = settings.get(key) if isinstance(settings, dict) else None
    return settings
