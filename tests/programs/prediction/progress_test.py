from keras_bert.programs.prediction.progress import Progress


def test_rate_and_time_left_are_of_this_run(caplog):
    caplog.set_level("INFO")
    times = iter([100.0, 101.0, 110.0, 112.0, 115.0])
    progress = Progress(1000, 400, clock=lambda: next(times))
    for count in (50, 150, 40, 360):
        progress.add(count)
    # Not after one second, nor two after the last line; but at the end.
    assert [record.getMessage() for record in caplog.records] == [
        "600 of 1000, 20 a second, 20 s left.",
        "1000 of 1000, 40 a second, 0 s left.",
    ]
