"""Run all test targets on one commit, and write one table.

    make test-all               # everything
    make test-all SHARD=3/8     # the third of eight shards

Tests the last commit in a clone of its own. Each target has an environment of
its own, so that no package of another can make it pass. A target that takes
more than 25 minutes on two cores runs in parts. A finished part is a file in
`.test-all/COMMIT/rows/`. A run that was stopped continues with the other parts.
Delete the file of a part to run it again. The table is
`.test-all/COMMIT/table.md`. It also has the rows that other machines wrote, if
they are copied to that folder.
"""

import argparse
import collections
import itertools
import json
import math
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree

_ROOT = pathlib.Path(__file__).parents[1]
# Minutes on two cores that each target takes with its environment.
_MINUTES = {
    "test": 15,
    "test-exhaustive": 100,
    "test-parity": 10,
    "test-environments": 20,
    "test-loaders": 20,
    "test-beam": 6,
    "test-playground": 10,
    "docs": 15,
    "demo": 7,
}
# A part takes at most 20 minutes, and 25 on a slower machine.
_NUM_PARTS = {
    target: math.ceil(minutes / 20) for target, minutes in _MINUTES.items()
}
_PARTS = {
    (target, f"{number}/{count}"): _MINUTES[target] / count
    for target, count in _NUM_PARTS.items()
    for number in range(1, count + 1)
}
# Reasons of skips that hide that a package or a program is missing.
_MISSING = re.compile("could not import|no Chromium")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--shard", default="1/1", metavar="K/N")
    parser.add_argument(
        "--only_table", action="store_true", help="Run nothing; write the table"
    )
    arguments = parser.parse_args()
    commit = _output("git", "rev-parse", "--short=8", "HEAD").strip()
    folder = _ROOT / ".test-all" / commit
    rows = folder / "rows"
    if not arguments.only_table:
        parts = [
            part
            for part in parts_of_shard(_PARTS, arguments.shard)
            if not _row_file(rows, *part).exists()
        ]
        _run(parts, folder, commit)
    rows = [
        json.loads(path.read_text()) for path in sorted(rows.glob("*.json"))
    ]
    (folder / "table.md").write_text(table(rows))
    print(f"The table is {folder / 'table.md'}")
    sys.exit(any(row["failed"] for row in rows))


def parts_of_shard(minutes, shard):
    """Return the parts of one shard; all shards take about equally long.

    Args:
        minutes: dict from parts, pairs of a target and "K/N", to minutes.
        shard: str, "K/N".
    """
    number, count = map(int, shard.split("/"))
    shards = [[] for _ in range(count)]
    for part in sorted(minutes, key=minutes.get, reverse=True):
        min(shards, key=lambda parts: sum(map(minutes.get, parts))).append(part)
    return sorted(shards[number - 1])


def _run(parts, folder, commit):
    tree = folder / "tree"
    if not tree.exists():
        clone = [_ROOT, folder / "tree.tmp"]
        shutil.rmtree(clone[1], ignore_errors=True)
        _output("git", "clone", "--quiet", "--no-checkout", *clone)
        _output("git", "-C", clone[1], "checkout", "--quiet", commit)
        clone[1].rename(tree)
    (folder / "rows").mkdir(exist_ok=True)
    for target, same in itertools.groupby(parts, key=lambda part: part[0]):
        for _, part in same:
            row = _run_part(target, part, folder) | {"commit": commit}
            path = _row_file(folder / "rows", target, part)
            path.with_suffix(".tmp").write_text(json.dumps(row))
            path.with_suffix(".tmp").rename(path)
        shutil.rmtree(folder / "environments", ignore_errors=True)


def _run_part(target, part, folder):
    print(f"{time.strftime('%H:%M')} {target} {part}", flush=True)
    name = f"{target}-{part.replace('/', 'of')}"
    report = folder / f"{name}.xml"
    report.unlink(missing_ok=True)
    options = f"--shard={part} --junit-xml={report}"
    environment = folder / "environments" / target
    start = time.time()
    with open(folder / f"{name}.log", "w") as log:
        made = subprocess.run(
            [
                "make",
                target,
                f"PYTHON={sys.executable}",
                f"VENV={environment}",
                f"OUTPUT={environment}/demo-output",
            ],
            cwd=folder / "tree",
            env={**os.environ, "PYTEST_ADDOPTS": options},
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    return {
        "target": target,
        "part": part,
        "python": _python(),
        "minutes": round((time.time() - start) / 60, 1),
        **read_report(report, made.returncode),
    }


def read_report(report, returncode):
    """Return the number of passed tests, the failures and the skips."""
    failures, skipped, passed = [], [], 0
    if report.exists():
        for case in xml.etree.ElementTree.parse(report).iter("testcase"):
            skip = case.find("skipped")
            name = f"{case.get('classname')}::{case.get('name')}"
            if (
                case.find("failure") is not None
                or case.find("error") is not None
            ):
                failures.append(name)
            elif skip is None:
                passed += 1
            elif _MISSING.search(skip.get("message")):
                failures.append(f"{name}: {skip.get('message')}")
            else:
                skipped.append(skip.get("message"))
    elif returncode == 0:
        passed = 1
    if returncode and not failures:
        failures.append(f"make stopped with {returncode}; see the log")
    return {
        "passed": passed,
        "failed": failures,
        "skipped": collections.Counter(skipped),
    }


def table(rows):
    """Return a page with the rows, the failures and the reasons of skips."""
    columns = "target part Python passed failed skipped minutes commit".split()
    lines = [
        "# All tests",
        "",
        "`make test-all` writes this page. Each target has its own venv.",
        "",
        f"| {' | '.join(columns)} |",
        "|---" * len(columns) + "|",
    ]
    failures, reasons = [], collections.Counter()
    for row in rows:
        cells = [
            f"`make {row['target']}`",
            row["part"],
            row["python"],
            f"{row['passed']:,}",
            str(len(row["failed"])),
            str(sum(row["skipped"].values())),
            str(row["minutes"]),
            row["commit"],
        ]
        lines.append(f"| {' | '.join(cells)} |")
        failures += [f"- `{row['target']}`: {name}" for name in row["failed"]]
        for reason, count in row["skipped"].items():
            reasons[row["target"], reason] += count
    run = {(row["target"], row["part"], row["python"]) for row in rows}
    failures += [
        f"- `{target}` {part} was not run on Python {python}"
        for python in {python for *_, python in run}
        for target, part in _PARTS
        if (target, part, python) not in run
    ]
    skips = [f"- `{x}`: {n} × {reason}" for (x, reason), n in reasons.items()]
    for heading, items in (("Failed", failures), ("Skipped", skips)):
        lines += ["", f"## {heading}", "", *(sorted(items) or ["None."])]
    return "\n".join(lines) + "\n"


def _row_file(rows, target, part):
    return rows / f"{target}-{part.replace('/', 'of')}-{_python()}.json"


def _python():
    return ".".join(platform.python_version_tuple()[:2])


def _output(*command):
    return subprocess.run(
        command, cwd=_ROOT, check=True, capture_output=True, text=True
    ).stdout


if __name__ == "__main__":
    main()
