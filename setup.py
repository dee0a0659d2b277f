"""Add addresses and README; setup.cfg has the rest."""

import os
import pathlib
import re

import setuptools


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


def _readme():
    """Return the README; a workflow makes its links to files absolute."""
    text = pathlib.Path("README.md").read_text(encoding="utf-8")
    repository = os.environ.get("GITHUB_REPOSITORY")
    if repository:
        source = f"https://github.com/{repository}"
        text = re.sub(r"\]\((?!https?:|#)", f"]({source}/blob/main/", text)
        text = re.sub(r'src="(?!https?:)', f'src="{source}/raw/main/', text)
    return text


setuptools.setup(
    project_urls=_project_urls(),
    long_description=_readme(),
)
