"""The packages that scores are computed with, which not everybody has."""

import contextlib


@contextlib.contextmanager
def metrics_extra():
    """Has a package that cannot be imported within it told with its extra."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"This metric needs the package {error.name}, which is not "
            "installed here. Try: pip install 'keras-bert-tf[metrics]'",
            name=error.name,
        ) from None
