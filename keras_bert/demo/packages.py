"""What the stages of the demo need beside what the package itself does."""

import importlib.util

_PACKAGES = ("tokenizers", "matplotlib", "ai_edge_litert")


def check_installed():
    """Raises ModuleNotFoundError if a stage would lack a package.

    The last stages come minutes after the first, so all is looked for at
    once.
    """
    missing = [x for x in _PACKAGES if importlib.util.find_spec(x) is None]
    if missing:
        raise ModuleNotFoundError(
            f"The demo needs {', '.join(missing)}, not installed here. "
            "Try: pip install 'keras-bert-tf[demo]'",
            name=missing[0],
        )
