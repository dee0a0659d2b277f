"""Tests the shards and the table of `make test-all`."""

import itertools

from tests import run_all


def test_each_part_is_in_one_shard():
    minutes = {
        ("a", "1/2"): 9,
        ("a", "2/2"): 9,
        ("b", "1/1"): 5,
        ("c", "1/1"): 4,
    }
    shards = [run_all.parts_of_shard(minutes, f"{k}/3") for k in (1, 2, 3)]
    assert sorted(itertools.chain(*shards)) == sorted(minutes)
    assert [sum(map(minutes.get, parts)) for parts in shards] == [9, 9, 9]


def test_hidden_packages_fail(tmp_path):
    report = tmp_path / "report.xml"
    report.write_text(
        "<testsuites><testsuite>"
        "<testcase classname='a' name='passes'/>"
        "<testcase classname='a' name='fails'><failure message='x'/></testcase>"
        "<testcase classname='a' name='hides'>"
        "<skipped message=\"could not import 'torch'\"/></testcase>"
        "<testcase classname='a' name='skips'>"
        "<skipped message='Linux only'/></testcase>"
        "</testsuite></testsuites>"
    )
    counts = run_all.read_report(report, returncode=1)
    assert counts == {
        "passed": 1,
        "failed": ["a::fails", "a::hides: could not import 'torch'"],
        "skipped": {"Linux only": 1},
    }


def test_a_target_without_report_passes_or_fails(tmp_path):
    missing = tmp_path / "report.xml"
    assert run_all.read_report(missing, returncode=0)["passed"] == 1
    assert run_all.read_report(missing, returncode=2)["failed"]


def test_the_table_names_parts_that_were_not_run():
    row = {
        "target": "test",
        "part": "1/1",
        "python": "3.12",
        "passed": 1234,
        "failed": [],
        "skipped": {"Linux only": 2},
        "minutes": 9.5,
        "commit": "01234567",
    }
    page = run_all.table([row])
    assert (
        "| `make test` | 1/1 | 3.12 | 1,234 | 0 | 2 | 9.5 | 01234567 |" in page
    )
    assert "- `demo` 1/1 was not run on Python 3.12" in page
    assert "- `test`: 2 × Linux only" in page
