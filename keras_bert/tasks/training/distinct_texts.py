"""Training batches without repeated texts."""

import numpy as np


def without_duplicates(batches, groups, batch_size):
    """Regroup examples so that no text is in two examples of a batch.

    Each example is added to the first batch that has room and contains none of
    its texts.

    Args:
        batches: list of int arrays, the indices of the examples.
        groups: int `(num_examples, num_texts)`, ids of the texts.
        batch_size: int, maximum number of examples in a batch.

    Returns:
        A list of int arrays. The last batches may be smaller.
    """
    complete, unfinished = [], []
    for index in np.concatenate(batches):
        texts = {*groups[index].tolist()}
        for position, (members, seen) in enumerate(unfinished):
            if seen.isdisjoint(texts):
                break
        else:
            position, (members, seen) = len(unfinished), ([], set())
            unfinished.append((members, seen))
        members.append(index)
        seen |= texts
        if len(members) == batch_size:
            complete.append(members)
            del unfinished[position]
    complete += [members for members, _ in unfinished]
    return [np.array(members) for members in complete]
