"""The order of a release's rows, in plain Python: the oracle of what statements and engines write."""


def bucket_of(place):
    """The bucket of a position, from 1; the arithmetic never leaves 63 bits."""
    prime = 2**31 - 1
    x = (place % prime * 1_103_515_245 + 12_345) % prime
    return x * x % prime * (x + 987_654_321) % prime % 64


def dealt(rows):
    """Sorted rows of values of one type a column, NULL last, in the order in which they are written."""
    placed = enumerate(sorted(rows, key=_key), 1)
    return [
        row for _, _, row in sorted(((bucket_of(place), place, row) for place, row in placed), key=lambda one: one[:2])
    ]


def _key(row):
    return [(1, 0) if value is None else (0, value) for value in row]
