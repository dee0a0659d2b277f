"""Counts, which steps of the pipeline give beside their own output."""

import apache_beam as beam

# The name of that output.
COUNTS = "counts"


def tagged(counts):
    """Yields the counts of a step, a dict, for its output `COUNTS`."""
    for count in counts.items():
        yield beam.pvalue.TaggedOutput(COUNTS, count)


@beam.ptransform_fn
def sum_counts(counts):
    """Pairs of a name and a number to one dict."""
    return counts | beam.CombinePerKey(sum) | beam.combiners.ToDict()
