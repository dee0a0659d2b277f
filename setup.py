"""Add the programs, the configs and the addresses; setup.cfg has the rest."""

import os

import setuptools

_BESIDE = {"keras_bert.tools": "tools", "keras_bert.configs": "configs"}


def _project_urls():
    """Return the addresses of the repository that a workflow builds."""
    urls = {"Paper": "https://arxiv.org/abs/1810.04805"}
    repository = os.environ.get("GITHUB_REPOSITORY")
    if repository:
        source = f"https://github.com/{repository}"
        urls |= {
            "Source": source,
            "Issues": f"{source}/issues",
            "Documentation": f"{source}/blob/main/docs/index.md",
            "Changelog": f"{source}/blob/main/CHANGELOG.md",
        }
    return urls


setuptools.setup(
    packages=[*setuptools.find_packages(include=["keras_bert*"]), *_BESIDE],
    package_dir=_BESIDE,
    project_urls=_project_urls(),
)
