"""What the sums over steps and devices come to."""


def mean_metrics(sums):
    """Sums over steps to means.

    Args:
        sums: dict of numbers, as of `PretrainingLoop.train`.

    Returns:
        A dict of floats: for each term, such as mlm, its `mlm_loss` and
        `mlm_accuracy`; and of training also `loss` and `gradient_norm`,
        means over the steps that were taken.
    """
    means = {}
    for name in sums:
        term, _, kind = name.partition("/")
        if kind not in ("", "weight"):
            weight = max(float(sums[f"{term}/weight"]), 1.0)
            means[f"{term}_{kind}"] = float(sums[name]) / weight
    if "steps" in sums:
        steps = max(float(sums["steps"]), 1.0)
        means["loss"] = float(sums["loss"]) / steps
        means["gradient_norm"] = float(sums["gradient_norm"]) / steps
    return means
