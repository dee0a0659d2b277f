from tests.tools.conftest import files
from tests.tools.conftest import run

__all__ = ["files", "run"]
