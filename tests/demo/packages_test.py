import sys

import pytest

from keras_bert.demo import packages


def test_what_a_late_stage_lacks_is_told_at_once(monkeypatch):
    packages.check_installed()
    names = ("tokenizers", "no_matplotlib", "no_litert")
    monkeypatch.setattr(packages, "_PACKAGES", names)
    with pytest.raises(
        ModuleNotFoundError,
        match=r"needs no_matplotlib, no_litert, not .*bert-tf\[demo\]",
    ):
        packages.check_installed()


def test_nothing_is_loaded_to_look(monkeypatch):
    monkeypatch.delitem(sys.modules, "matplotlib", raising=False)
    packages.check_installed()
    assert "matplotlib" not in sys.modules
