"""Formatting of record statistics and examples as text."""

from keras_bert.pretraining.records.mask_outcomes import EXPECTED
from keras_bert.pretraining.records.mask_outcomes import MARKS


def summary_rows(statistics):
    """Format `RecordStatistics` as a dict mapping names to texts."""
    counts, share = statistics.counts, statistics.share
    longest = statistics.max_length
    rows = {
        "Records": f"{counts['records']:,} in {counts['files']:,} file(s); all "
        "valid",
        "Length": f"{share('tokens', 'records'):.1f} tokens on average with "
        f"[CLS] and [SEP], at most {longest}",
        "Short": f"{_percent(statistics.short_share)} of the examples have "
        f"fewer than {longest} tokens",
    }
    if statistics.is_static:
        padding = counts["padding"] / (counts["padding"] + counts["tokens"])
        predicted = share("predictions", "tokens")
        rows["Padding"] = f"{_percent(padding)} of the records"
        rows["To predict"] = (
            f"{_percent(predicted)} of the tokens, {counts['predictions']:,}; "
            "of these"
        )
        for outcome, (name, expected) in EXPECTED.items():
            measured = _percent(share(outcome, "predictions"))
            rows[f"  {name}"] = f"{measured} (BERT: {expected} %)"
    else:
        several = 1 - statistics.word_lengths[1] / counts["words"]
        rows["Words"] = (
            f"{share('pieces', 'words'):.2f} pieces on average, at most "
            f"{len(statistics.word_lengths) - 1}; {_percent(several)} have "
            "several"
        )
    measured = _percent(share("not_next", "records"))
    rows["Not next"] = f"{measured} of the examples (BERT: 50 %)"
    return rows


def _percent(share):
    return f"{100 * share:.1f} %"


def summary_text(rows):
    """Format the rows of `summary_rows` as lines of text."""
    width = max(map(len, rows))
    return "\n".join(f"{name:<{width}}  {text}" for name, text in rows.items())


def examples_text(examples, is_static):
    """Join the texts of `show_example` and add a legend for static records."""
    lines = []
    if is_static:
        lines += ["Brackets mark the tokens that the model must predict:"]
        lines += [f"  {mark:<15} {meaning}" for mark, meaning in MARKS.values()]
        lines += [""]
    return "\n".join([*lines, *examples])
