"""Rows to answers, in batches, in order."""

import itertools

from keras_bert.serving.errors import ServerError


def answered_rows(client, rows, signature="serving_default", batch_size=32):
    """Yields the answer to each row.

    Rows are read as answers are asked for, so there may be any number.

    Args:
        client: `RestClient` or `GrpcClient`.
        rows: iterable of pairs of a name of the row, str, for messages, and a
            dict from the inputs of the signature to their values.
        signature: str.
        batch_size: int, most rows in one request. Rows of lists go together
            only where these are of like lengths.

    Yields:
        A dict from the outputs of the signature to their values.

    Raises:
        ValueError: a row is not what the signature takes.
        ServerError: the server cannot be asked, or refuses.
    """
    for _, alike in itertools.groupby(rows, lambda pair: _lengths(pair[1])):
        while batch := [*itertools.islice(alike, batch_size)]:
            yield from _answers(client, batch, signature)


def _lengths(row):
    """What rows of one request must have in common."""
    return {name: _shape(value) for name, value in row.items()}


def _shape(value):
    if not isinstance(value, list):
        return ()
    return (len(value), *(_shape(value[0]) if value else ()))


def _answers(client, batch, signature):
    places, rows = zip(*batch)
    inputs = {name: [row.get(name) for row in rows] for name in rows[0]}
    try:
        outputs = client.predict(inputs, signature)
    except ServerError as error:
        raise type(error)(f"{_range(places)}: {error}") from None
    except ValueError as error:
        raise ValueError(f"{_range(places)}: {error}") from None
    for values in zip(*outputs.values()):
        yield dict(zip(outputs, values))


def _range(places):
    if len(places) == 1:
        return places[0]
    return f"{places[0]} to {places[-1]}"
