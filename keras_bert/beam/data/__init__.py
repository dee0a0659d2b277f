"""Apache Beam pipeline that creates pre-training records."""

import importlib

try:
    importlib.import_module("apache_beam")
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        f"The Beam pipeline needs the package {error.name}. Try: "
        "pip install 'keras-bert-tf[beam]'",
        name=error.name,
    ) from None
