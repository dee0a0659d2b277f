import os

import pytest

from keras_bert.files import expand_patterns
from keras_bert.files import is_stream
from keras_bert.files import total_size


@pytest.fixture
def folder(tmp_path):
    for name in ("b.txt", "a.txt", "c.md", "deep/d.txt"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
    return tmp_path


def test_paths_and_globs_give_sorted_distinct_files(folder):
    patterns = f"{folder}/c.md,{folder}/*.txt,{folder}/b.txt"
    names = [os.path.relpath(p, folder) for p in expand_patterns(patterns)]
    assert names == ["a.txt", "b.txt", "c.md"]


def test_a_list_means_the_same_as_commas(folder):
    patterns = [f"{folder}/c.md", f"{folder}/a.txt,{folder}/b.txt"]
    assert expand_patterns(patterns) == expand_patterns(",".join(patterns))


def test_two_stars_go_into_folders(folder):
    names = [os.path.basename(p) for p in expand_patterns(f"{folder}/**/*.txt")]
    assert names == ["a.txt", "b.txt", "d.txt"]


def test_a_file_may_have_brackets_in_its_name(tmp_path):
    path = tmp_path / "part[1].txt"
    path.touch()
    assert expand_patterns(str(path)) == [str(path)]


@pytest.mark.parametrize(
    ("patterns", "message"),
    [
        ("{0}/a.txt,{0}/*.pdf", r"No file matches '.*/\*\.pdf'"),
        ("{0}/a.txt,", "No file matches ''"),
        ("{0}/deep", r"directory '.*deep'; try .*deep/\*"),
    ],
)
def test_what_is_no_file_is_named(folder, patterns, message):
    with pytest.raises(ValueError, match=message):
        expand_patterns(patterns.format(folder))


def test_a_broken_link_is_called_so(tmp_path):
    (tmp_path / "link.txt").symlink_to(tmp_path / "gone")
    for pattern in (f"{tmp_path}/link.txt", f"{tmp_path}/*.txt"):
        with pytest.raises(ValueError, match="link.txt', a broken link .*gone"):
            expand_patterns(pattern)


def test_a_name_may_hold_a_comma_if_it_is_all(folder):
    (folder / "one, two.txt").touch()
    for patterns in (f"{folder}/one, two.txt", [f"{folder}/one", " two.txt"]):
        assert expand_patterns(patterns) == [f"{folder}/one, two.txt"]


@pytest.fixture
def pipe(tmp_path):
    path = str(tmp_path / "pipe")
    os.mkfifo(path)
    return path


def test_a_pipe_is_read_where_streams_are(pipe):
    assert expand_patterns(pipe, streams=True) == [pipe]
    with pytest.raises(ValueError, match="pipe', a pipe or a device; write it"):
        expand_patterns(pipe)


def test_streams_are_told_from_files(pipe, folder):
    assert (
        is_stream(pipe) and is_stream("/dev/stdin") and is_stream("/dev/fd/9")
    )
    assert not is_stream(f"{folder}/a.txt")


def test_the_size_is_that_of_all_files(folder):
    (folder / "a.txt").write_text("four")
    assert total_size([folder / "a.txt", folder / "b.txt"]) == (
        "2 file(s), 4 bytes"
    )
