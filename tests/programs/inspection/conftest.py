"""The small records of `tests/data`."""

from tests.data.conftest import vocab_file
from tests.data.conftest import vocabulary
from tests.data.conftest import write_record_file
from tests.data.records.conftest import dynamic
from tests.data.records.conftest import make_dynamic
from tests.data.records.conftest import make_static
from tests.data.records.conftest import static
from tests.data.records.conftest import write

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
