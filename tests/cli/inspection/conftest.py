"""Small records of `tests/pretraining`."""

# ruff: noqa: F401

from tests.pretraining.conftest import vocab_file
from tests.pretraining.conftest import vocabulary
from tests.pretraining.conftest import write_record_file
from tests.pretraining.records.conftest import dynamic
from tests.pretraining.records.conftest import make_dynamic
from tests.pretraining.records.conftest import make_static
from tests.pretraining.records.conftest import static
from tests.pretraining.records.conftest import write
