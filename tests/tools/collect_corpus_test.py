from keras_bert.files.manifest import manifest_of

_SUBJECTS = ("apple", "pear", "plum", "fig", "quince", "cherry", "grape")


def test_a_corpus_is_split_in_two_and_what_is_dropped_is_told(run, tmp_path):
    for subject in _SUBJECTS:
        prose = "\n\n".join(
            f"The {subject} is {what} of all that there is in the garden, and "
            f"nobody has ever known where the {subject} came from."
            for what in ("the first", "the second", "the last", "the best")
        )
        (tmp_path / f"{subject}.py").write_text(f'"""{prose}"""\n')
    (tmp_path / "broken.py").write_text('"""\xff' + "no end " * 99)
    twin = (tmp_path / "apple.py").read_text()
    (tmp_path / "zebra.py").write_text(twin)
    output = tmp_path / "new" / "corpus"
    code, _, stderr = run(
        "collect_corpus",
        "--verbosity=0",
        "--eval_share=0.4",
        f"--output_dir={output}",
        f"--roots={tmp_path}",
    )
    assert code == 0, stderr
    assert "7 documents" in stderr and "28 sentences" in stderr
    assert "1 skipped" in stderr and "4 duplicate sentences" in stderr
    train, held_out = (
        (output / name).read_text(encoding="utf-8")
        for name in ("train.txt", "eval.txt")
    )
    assert train.endswith("came from.\n\n")
    assert held_out.endswith("came from.\n\n")
    documents = (train + held_out).strip().split("\n\n")
    assert len({*documents}) == len(_SUBJECTS)
    assert all(len(document.splitlines()) == 4 for document in documents)
    _, values = manifest_of(output / "train.txt")
    assert values["dropped"] == {"files": 1, "sentences": 4}
