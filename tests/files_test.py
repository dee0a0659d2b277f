import os

import pytest

from keras_bert.files.patterns import expand_patterns
from keras_bert.files.patterns import is_stream
from keras_bert.files.patterns import total_size


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name in ("b.txt", "a.txt", "c.md", "deep/d.txt", "e[1].txt", "f, g"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
    (tmp_path / "link").symlink_to("gone")
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("patterns", "expected"),
    [
        ("c.md,?.txt,b.txt", ["a.txt", "b.txt", "c.md"]),
        (["c.md", "a.txt,b.txt"], ["a.txt", "b.txt", "c.md"]),
        ("**/[ad].txt", ["a.txt", "deep/d.txt"]),
        ("e[1].txt", ["e[1].txt"]),
        ("f, g", ["f, g"]),
        (["f", " g"], ["f, g"]),
    ],
)
def test_paths_and_globs_give_sorted_distinct_files(folder, patterns, expected):
    assert expand_patterns(patterns) == expected


@pytest.mark.parametrize(
    ("patterns", "message"),
    [
        ("a.txt,*.pdf", r"No file matches '\*\.pdf'"),
        ("a.txt,", "No file matches ''"),
        ("", "at least one input file"),
        ("deep", r"directory 'deep'; try deep/\*"),
        ("link", "link', a broken link .*gone"),
        ("l*k", "link', a broken link .*gone"),
        ("pipe", "pipe', a pipe or a device; write it"),
    ],
)
def test_what_is_no_file_is_named(folder, patterns, message):
    with pytest.raises(ValueError, match=message):
        expand_patterns(patterns)


def test_streams_are_read_where_they_can_be(folder):
    assert expand_patterns("pipe", streams=True) == ["pipe"]
    for path in ("pipe", "/dev/stdin", "/dev/fd/9"):
        assert is_stream(path)
    assert not is_stream("a.txt")


def test_the_size_is_that_of_all_files(folder):
    (folder / "a.txt").write_text("four")
    assert total_size([folder / "a.txt", folder / "b.txt"]) == (
        "2 file(s), 4 bytes"
    )
