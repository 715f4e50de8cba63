"""Small tables of columns that are unkind to SQL."""

import datetime
import math
import random
from decimal import Decimal

import pyarrow as pa


def odd_table(seed, rows=60, draw=0):
    """Columns of many types, with NULL, infinities and odd names; another ``draw`` has more values in these columns."""
    drawn = random.Random(seed)  # noqa: S311 - a test
    days = [
        datetime.date(1950 + drawn.randrange(60), 1 + drawn.randrange(12), 1 + drawn.randrange(28)) for _ in range(25)
    ]
    moments = [datetime.datetime(2020, 1, 1) + datetime.timedelta(seconds=drawn.randrange(9**8)) for _ in range(25)]
    values = {
        'a "number"': (pa.int32(), [drawn.randrange(-40, 90) for _ in range(20)]),
        "rate {n}": (pa.float64(), [*(round(drawn.gauss(0, 50), 2) for _ in range(15)), math.inf, -math.inf, math.nan]),
        "price": (pa.decimal128(9, 2), [Decimal(drawn.randrange(10**6)) / 100 for _ in range(20)]),
        "born": (pa.date32(), days),
        "at": (pa.timestamp("us", tz="UTC"), moments),
        "job": (pa.string(), ["clerk", "cook", "nurse", "smith's", "Koch", ""]),
        "ok": (pa.bool_(), [True, False]),
        "Records": (pa.int16(), [drawn.randrange(0, 9) for _ in range(6)]),
    }
    names = drawn.sample(sorted(values), drawn.randrange(2, 5))
    drawn, columns = random.Random(f"{seed} {draw}"), {}  # noqa: S311
    if draw:
        values['a "number"'][1].extend([-90, 120, 33])
        values["born"][1].extend([datetime.date(1931, 5, 6), datetime.date(2031, 1, 1)])
        values["job"][1].append("pilot")
    for name in names:
        kind, some = values[name]
        columns[name] = pa.array([drawn.choice([*some, None]) for _ in range(rows)], kind)
    columns["class"] = pa.array([drawn.choice("xy") for _ in range(rows)])
    return pa.table(columns)
