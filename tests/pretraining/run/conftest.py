"""Static training records, as in the tests of the job."""

from tests.pretraining.job.conftest import template

__all__ = ["template"]
