"""Static training records, as in the tests of the job."""

# ruff: noqa: F401

from tests.pretraining.job.conftest import template
