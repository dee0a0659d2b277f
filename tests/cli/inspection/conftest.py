"""Small records of `tests/pretraining`."""

from tests.pretraining.conftest import vocab_file
from tests.pretraining.conftest import vocabulary
from tests.pretraining.conftest import write_record_file
from tests.pretraining.records.conftest import dynamic
from tests.pretraining.records.conftest import make_dynamic
from tests.pretraining.records.conftest import make_static
from tests.pretraining.records.conftest import static
from tests.pretraining.records.conftest import write

__all__ = [
    "dynamic",
    "make_dynamic",
    "make_static",
    "static",
    "vocab_file",
    "vocabulary",
    "write",
    "write_record_file",
]
