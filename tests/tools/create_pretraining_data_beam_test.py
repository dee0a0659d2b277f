"""The Beam program in a new process; run by `make test-beam`."""

import json
import shutil

import pytest

pytestmark = pytest.mark.large


@pytest.mark.beam
def test_the_flags_reach_the_pipeline(run_alone, files, tmp_path):
    place = shutil.copytree(files, tmp_path / "place")
    flags = (
        "--input_file=text.txt --vocab_file=vocab.txt --output_dir=out "
        "--max_seq_length=16 --max_predictions_per_seq=3 --num_shards=2 "
        "--dupe_factor=3 --random_seed=7 --beam_options=--direct_num_workers=2,"
        "--direct_running_mode=multi_threading"
    ).split()
    tool = "create_pretraining_data_beam"
    code, _, stderr = run_alone(tool, *flags, folder=place)
    assert code == 0, stderr
    manifest = json.loads((place / "out" / "manifest.json").read_text())
    assert manifest["counts"]["documents"] == 12
    assert manifest["settings"]["num_shards"] == 2
    examples = manifest["settings"]["examples"]
    assert (examples["dupe_factor"], examples["random_seed"]) == (3, 7)
    assert examples["max_seq_length"] == 16
