"""Has a wheel carry the programs and the configs; setup.cfg has the rest."""

import setuptools

_BESIDE = {"keras_bert.tools": "tools", "keras_bert.configs": "configs"}

setuptools.setup(
    packages=[*setuptools.find_packages(include=["keras_bert*"]), *_BESIDE],
    package_dir=_BESIDE,
)
