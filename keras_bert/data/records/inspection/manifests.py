"""What the manifests beside records say, against what they are read with."""

from keras_bert import outputs
from keras_bert.text.casing import agreed_casing
from keras_bert.text.casing import casing_beside


def check_manifests(paths, vocab_file, vocabulary):
    """Holds a vocabulary to what the manifests of records say.

    Args:
        paths: list of str, record files.
        vocab_file: str.
        vocabulary: the `Vocabulary` of that file.

    Returns:
        A list of ValueError: records that are not as their manifest says.

    Raises:
        ValueError: a manifest tells of another vocabulary or casing.
    """
    altered, claims = [], casing_beside(vocab_file)
    for path in paths:
        try:
            manifest, values = outputs.manifest_of(path)
        except ValueError as error:
            altered.append(error)
            continue
        settings = (values or {}).get("settings", {})
        made_with = settings.get("vocabulary", vocabulary.sha256)
        if made_with != vocabulary.sha256:
            raise ValueError(
                "--vocab_file must be the vocabulary that the records were "
                f"made with. Received: {vocab_file}, with the hash "
                f"{vocabulary.sha256[:12]}; {manifest} says {made_with[:12]}."
            )
        claims[manifest] = settings.get("text", {}).get("do_lower_case")
    if any(claim is not None for claim in claims.values()):
        agreed_casing(vocabulary, claims)
    return altered
