"""Files of labelled data."""

import pytest


@pytest.fixture
def write(tmp_path):
    """Return a function that writes a file and returns its path."""

    def write(name, content):
        path = tmp_path / name
        is_text = isinstance(content, str)
        path.write_bytes(content.encode() if is_text else content)
        return str(path)

    return write
