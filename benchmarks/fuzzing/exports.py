"""Exports whose types are hard to tell: files of several types, late contradictions, codes, dates, amounts, markers.

Each has the columns ``row``, a number that no other record has, ``a``, ``b`` and ``s``, which hold what may change
while it is read, and the class ``c``. What the files hold is read again from them by csv, json and pyarrow.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

VALUES = ("a", "b", "s")
Maker = Callable[[Random], str]
Record = dict[str, Any]


@dataclass
class Export:
    """Files under a folder, the ``config`` that reads them, and the records that they hold."""

    kind: str
    source: str
    records: list[Record]
    config: dict[str, Any] = field(default_factory=dict)

    @property
    def written(self) -> bool:
        """Whether the files hold texts, whose types are to be found."""
        return not self.source.endswith(("parquet", "jsonl"))


# -- texts of CSV ------------------------------------------------------------------------------------------------------


def _several(*texts: str) -> Maker:
    return lambda random: random.choice(texts)


def _day(random: Random) -> date:
    return date(1930, 1, 1) + timedelta(days=random.randrange(40_000))


def dated(form: str) -> Maker:
    """A maker of dates as they are written in a format."""
    return lambda random: datetime(*_day(random).timetuple()[:3], random.randrange(24), 30, 5).strftime(form)


CODES: tuple[Maker, ...] = (
    lambda random: str(random.randrange(-50, 1_000)),
    lambda random: f"0{random.randrange(1_000, 1_030)}",
    lambda random: str(random.randrange(1_000, 1_030)),
    lambda random: f"{random.randrange(100)}.{random.randrange(12)}",
    lambda random: f"{random.randrange(10, 14)}.{random.choice(['1', '10', '2', '20', '0', '00'])}",
    lambda random: f"{random.uniform(-900, 900):.2f}",
    lambda random: f"{random.uniform(0, 90):.{random.choice([1, 3, 12, 20])}f}",
    lambda random: repr(random.uniform(-1e6, 1e6)),
    lambda random: repr(float(random.randrange(90))),
    lambda random: f"{random.randrange(1, 5)}{random.choice(['e2', 'E2', '00', 'e+2', '.0e2', 'e-05'])}",
    lambda random: f"+{random.randrange(20)}",
    lambda random: str(random.randrange(10 ** random.choice([15, 16, 17, 18, 19, 37, 38, 39, 45]))),
    lambda random: f"{random.randrange(10**17)}.{random.randrange(10, 100)}",
    lambda random: f"{random.randrange(3)}.{random.randrange(10**17):017}",
    _several(".5", "0.5", "5.", "5", "5.0", "-.5", "-0.5"),
    _several("NaN", "nan", "inf", "-inf", "Infinity", "1e400", "1e-400", "0"),
    _several(
        "0x1F", "1_000", "1 000", "1'000", "\u0663", "\u00bd", "\u00a07", "5-", "(5)", "5%", "0b1", "1.0.0", "1,5"
    ),
    _several(" 7", "7", "7 ", "8"),
    _several("true", "false", "1", "0"),
    _several("yes", "no", "t", "f"),
    _several("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11"),
    _several("Zzbakerq", "Zzm\u00fcllerq", " Zzcookq", 'Zz"q', "Zz,q", "Zz\u20acq", "zzbakerq"),
)
TWO_DIGITS = ("%d.%m.%y", "%m/%d/%y", "%y-%m-%d", "%d-%m-%y", "%d.%m.%y %H:%M", "%d %b %y", "%Y%m%d", "%m.%y")
FOUR_DIGITS = ("%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y", "%Y/%m/%d", "%Y-%m", "%Y-%m-%d %H:%M:%S", "%H:%M")
FOUR_DIGITS += ("%Y-%m-%dT%H:%M:%S", "%d.%m.%Y %H:%M:%S", "%b %d, %Y", "%H:%M:%S", "%Y-%m-%dT%H:%M:%SZ")
DAYS: tuple[Maker, ...] = tuple(map(dated, (*TWO_DIGITS, *FOUR_DIGITS)))
ODD_DAYS = _several("31.02.45", "29.02.1900", "unknown", "00.00.00", "5.1.45", "1945", "24:00", "2024-13-01", "")
MARKERS = ("N/A", "NA", "n/a", "-", "?", "unknown", "null", "NULL", "None", "missing", ".", "Zznoneq", "nan", "9999")


def amounts(thousands: str, decimal: str, places: int) -> Maker:
    """A maker of amounts with separators."""
    return lambda random: (
        f"{random.choice([random.uniform(-900, 900), random.uniform(0, 4e6)]):,.{places}f}".replace(",", "T")
        .replace(".", decimal)
        .replace("T", thousands)
    )


# -- CSV ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Writing:
    """How a CSV file is written."""

    delim: str = ","
    quoting: int = csv.QUOTE_MINIMAL
    line: str = "\n"
    encoding: str = "utf-8"
    packed: bool = False


ENCODINGS = ("utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252")


def drawn_writing(random: Random, texts: str, delims: str) -> Writing:
    """A way to write texts, usually the usual one."""
    encoding = random.choice(ENCODINGS) if random.random() < 0.3 else "utf-8"
    if encoding == "cp1252" and texts.encode("cp1252", errors="replace").decode("cp1252") != texts:
        encoding = "utf-16"
    quoting = random.choice([csv.QUOTE_MINIMAL, csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
    line = random.choice(["\n", "\n", "\r\n"])
    return Writing(random.choice(delims), quoting, line, encoding, encoding == "utf-8" and random.random() < 0.1)


def write_csv(path: Path, names: Sequence[str], columns: dict[str, list[str]], writing: Writing) -> list[Record]:
    """Write columns of texts; returns the records that the csv module reads from the file."""
    text = io.StringIO()
    lines = csv.writer(text, delimiter=writing.delim, quoting=writing.quoting, lineterminator=writing.line)
    lines.writerow(names)
    lines.writerows(zip(*(columns[name] for name in names), strict=True))
    data = text.getvalue().encode(writing.encoding)
    path.write_bytes(gzip.compress(data) if writing.packed else data)
    read = io.StringIO(data.decode(writing.encoding), newline="")
    return list(csv.DictReader(read, delimiter=writing.delim))


def drawn_texts(random: Random, makers: Sequence[Maker], size: int) -> list[str]:
    """Texts that one maker makes, and among them a few of others."""
    usual = random.choice(makers)
    others = random.choices(makers, k=random.choice([0, 0, 1, 1, 2]))
    texts = [random.choice(others)(random) if others and random.random() < 0.1 else usual(random) for _ in range(size)]
    return ["" if random.random() < 0.05 else text for text in texts] if random.random() < 0.4 else texts


def late(random: Random, size: int) -> list[str]:
    """Texts of which only the last ones are of another kind."""
    usual, last = random.sample((*CODES, *DAYS), 2)
    after = random.choice([1, 1, 3])
    held = [usual(random) for _ in range(random.choice([1, 40, size]))]
    return [*random.choices(held, k=max(size - after, 0)), *(last(random) for _ in range(after))][:size]


def _split(random: Random, folder: Path, columns: dict[str, list[str]], delims: str, parts: int) -> list[Record]:
    """Write the records to one file or several, each with its own order of columns."""
    whole = "".join(text for texts in columns.values() for text in texts)
    writing = drawn_writing(random, whole, delims)
    size, found, names = len(columns["c"]), [], list(columns)
    for part in range(parts):
        own = {name: texts[size * part // parts : size * (part + 1) // parts] for name, texts in columns.items()}
        if random.random() < 0.5:
            random.shuffle(names)
        lacking = [name for name in names if name in VALUES and part and random.random() < 0.05]
        ending = "csv.gz" if writing.packed else "csv"
        kept = [name for name in names if name not in lacking]
        found += write_csv(folder / f"s{part:02}.{ending}", kept, own, writing)
    return found


def _csv(
    random: Random, folder: Path, kind: str, size: int, maker: Callable[[], list[str]], delims: str = ",;\t|"
) -> Export:
    columns = {"row": [str(at) for at in range(100, 100 + size)]}
    columns |= {name: maker() for name in VALUES} | {"c": [random.choice("yn") for _ in range(size)]}
    parts = random.choice([1, 1, 1, 2, 12]) if size >= 12 else 1
    records = _split(random, folder, columns, delims, parts)
    files = sorted(folder.glob("s*.csv*"))
    source = files[0].name if parts == 1 else f"s*{''.join(files[0].suffixes)}"
    return Export(kind, source, records, {"missing_columns": None} if random.random() < 0.7 else {})


def late_csv(random: Random, folder: Path) -> Export:
    """CSV whose last records contradict the first."""
    size = random.choice([150, 400, 3_000])
    return _csv(random, folder, "late", size, lambda: late(random, size))


def codes_csv(random: Random, folder: Path) -> Export:
    """CSV of codes that look like numbers."""
    size = random.choice([2, 10, 60, 200])
    export = _csv(random, folder, "codes", size, lambda: drawn_texts(random, CODES, size))
    if random.random() < 0.1:
        export.config["types"] = {"a": "VARCHAR"}
    return export


def dates_csv(random: Random, folder: Path) -> Export:
    """CSV of dates, of which some have years of two digits, with and without `dates`."""
    size = random.choice([2, 10, 60, 200])
    form = random.choice((*TWO_DIGITS, "%d.%m.%Y"))
    makers = (dated(form), dated(form), random.choice(DAYS), ODD_DAYS) if random.random() < 0.6 else (dated(form),)
    export = _csv(random, folder, "dates", size, lambda: drawn_texts(random, makers, size))
    if random.random() < 0.5:
        latest = {"latest": random.choice([1999, 2024, 2026, 2068])} if "%y" in form and random.random() < 0.7 else {}
        columns = random.sample(VALUES, random.choice([1, 3]))
        export.config["dates"] = {name: {"format": form, **latest} for name in columns}
    return export


def amounts_csv(random: Random, folder: Path) -> Export:
    """CSV of amounts with separators of thousands and decimals, with and without the keys that say so."""
    size = random.choice([2, 10, 60, 200])
    thousands, decimal = random.choice([(".", ","), (",", "."), ("", ","), ("'", "."), (" ", ",")])
    makers: list[Maker] = [amounts(thousands, decimal, places) for places in (0, 2, 2, 1)]
    makers += [lambda random: str(random.uniform(0, 5_000)), _several("12.34", "1.2345", "1,23,456", "01.234", "8,275")]
    delims = ";\t|" if random.random() < 0.8 else ","
    export = _csv(random, folder, "amounts", size, lambda: drawn_texts(random, makers, size), delims)
    if random.random() < 0.6:
        given = {"thousands": thousands, "decimal_separator": decimal}
        export.config["csv"] = {key: text for key, text in given.items() if text and random.random() < 0.9}
    return export


def markers_csv(random: Random, folder: Path) -> Export:
    """CSV of numbers or dates among which one text is none, with and without `nullstr`."""
    size = random.choice([10, 60, 200])
    marker = random.choice(MARKERS)

    def column() -> list[str]:
        texts = drawn_texts(random, [random.choice((*CODES[:8], *DAYS))], size)
        for at in random.sample(range(size), random.choice([1, 1, 5])):
            texts[at] = marker
        return texts

    export = _csv(random, folder, "markers", size, column)
    if random.random() < 0.5:
        given = random.choice([marker, [marker, "Zzother"], random.choice(MARKERS), random.sample(MARKERS, 3)])
        export.config["csv"] = {"nullstr": given}
    return export


# -- Parquet -----------------------------------------------------------------------------------------------------------


def _moment(random: Random) -> datetime:
    midnight = datetime(*_day(random).timetuple()[:3])
    return midnight + timedelta(microseconds=random.choice([0, 0, random.randrange(86_400_000_000)]))


def _amount(random: Random, most: int, places: int) -> Decimal:
    return Decimal(random.randrange(-most, most)).scaleb(-places)


KINDS: tuple[tuple[pa.DataType, Callable[[Random], Any]], ...] = (
    (pa.int8(), lambda random: random.randrange(-128, 128)),
    (pa.int32(), lambda random: random.randrange(-5, 2_000)),
    (pa.int64(), lambda random: random.choice([random.randrange(-5, 5), random.randrange(-(2**63), 2**63)])),
    (pa.int64(), lambda random: random.randrange(1_000, 1_010)),
    (pa.uint64(), lambda random: random.choice([0, 1, 2**64 - 1, 2**53 + 1])),
    (pa.float64(), lambda random: float(random.randrange(-5, 5))),
    (pa.float64(), lambda random: random.choice([random.uniform(-1e3, 1e3), 1e-300, 1e300, -0.0, 2.0**53, 0.1])),
    (pa.float32(), lambda random: float(random.randrange(1_000)) / random.choice([1, 4])),
    (pa.float32(), lambda random: random.uniform(-2, 2)),
    (pa.bool_(), lambda random: random.random() < 0.5),
    (pa.string(), lambda random: random.choice(["Zzq", "01", "1", "true", "1.5", "2024-01-05", "", "01005", "1e2"])),
    (pa.large_string(), lambda random: f"0{random.randrange(1_000, 1_010)}"),
    (pa.dictionary(pa.int8(), pa.string()), lambda random: random.choice(["Zzq", "1", "01"])),
    (pa.date32(), _day),
    (pa.timestamp("us"), _moment),
    (pa.timestamp("ms"), lambda random: _moment(random).replace(microsecond=0)),
    (pa.timestamp("us", "UTC"), _moment),
    (pa.time64("us"), lambda random: _moment(random).time()),
    (pa.decimal128(9, 2), lambda random: _amount(random, 10**6, 2)),
    (pa.decimal128(38, 20), lambda random: _amount(random, 10**30, 20)),
    (pa.decimal128(18, 0), lambda random: _amount(random, 10**12, 0)),
    (pa.null(), lambda random: None),
)
MAY_BE_UNLIKE = 0.6


def parquet(random: Random, folder: Path) -> Export:
    """Several Parquet files of different types, in random order, of which some may lack a column."""
    usual = {name: random.choice(KINDS) for name in VALUES}
    records: list[Record] = []
    numbers = list(range(random.choice([2, 2, 3, 8])))
    random.shuffle(numbers)
    for number in numbers:
        size = random.choice([1, 4, 30])
        rows = [100 * number + at for at in range(size)]
        columns: dict[str, Any] = {"row": pa.array(rows), "c": pa.array([random.choice("yn") for _ in rows])}
        for name in VALUES:
            kind, maker = random.choice(KINDS) if random.random() < MAY_BE_UNLIKE else usual[name]
            held = [None if random.random() < 0.1 else maker(random) for _ in rows]
            columns |= {} if random.random() < 0.03 else {name: pa.array(held, kind)}
        names = random.sample(list(columns), len(columns))
        path = folder / f"s{number}.parquet"
        pq.write_table(pa.table({name: columns[name] for name in names}), path)
        records += pq.read_table(path).to_pylist()
    config: dict[str, Any] = {"missing_columns": None} if random.random() < 0.7 else {}
    if random.random() < 0.15:
        config["types"] = {"a": "VARCHAR"}
    return Export("parquet", "s*.parquet", records, config)


# -- JSON Lines --------------------------------------------------------------------------------------------------------

TOKENS: tuple[Maker, ...] = (
    lambda random: str(random.randrange(100)),
    lambda random: str(random.randrange(10 ** random.choice([16, 17, 19, 38, 40]))),
    lambda random: f"{random.randrange(90)}.{random.randrange(100)}",
    lambda random: repr(random.uniform(-1e3, 1e3)),
    lambda random: f"{random.randrange(3)}.{random.randrange(10**18):018}",
    lambda random: random.choice(["1e2", "1E5", "100", "2.50", "1.0", "1", "-0", "-0.0", "1e400"]),
    lambda random: random.choice(["true", "false"]),
    lambda random: random.choice(["0", "1", "2"]),
    *(lambda random, maker=maker: json.dumps(maker(random)) for maker in (*CODES, *DAYS)),
    lambda random: json.dumps(f"{random.randrange(10_110, 10_120)}"),
    lambda random: random.choice(["[1]", '{"q": "z"}', '["Zzq"]', '{"q": 1.5}', "[]", '""']),
)


def json_lines(random: Random, folder: Path) -> Export:
    """JSON Lines, often more than 32 files, whose last ones hold other values than the first."""
    files, size = random.choice([(1, 40), (3, 10), (34, 1), (40, 3), (70, 1)])
    usual = {name: random.choice(TOKENS) for name in VALUES}
    late = {name: random.choice(TOKENS) for name in VALUES}
    records: list[Record] = []
    for number in range(files):
        lines = []
        for at in range(size):
            keys = {"row": str(number * size + at), "c": f'"{random.choice("yn")}"'}
            for name in VALUES:
                other = random.random() < (0.5 if number == files - 1 else 0.02)
                keys[name] = "null" if random.random() < 0.05 else (late if other else usual)[name](random)
            kept = [name for name in random.sample(list(keys), len(keys)) if name == "row" or random.random() < 0.99]
            lines.append("{" + ", ".join(f'"{name}": {keys[name]}' for name in kept) + "}")
        text = "\n".join(lines) + "\n"
        (folder / f"s{number:02}.jsonl").write_text(text, encoding="utf-8")
        records += [json.loads(line, parse_float=Decimal) for line in text.splitlines()]
    config = {"types": {"a": "VARCHAR"}} if random.random() < 0.1 else {}
    return Export("json", "s*.jsonl", records, config)


EXPORTS: tuple[Callable[[Random, Path], Export], ...] = (
    *(parquet, json_lines, late_csv, codes_csv, dates_csv, amounts_csv, markers_csv),
)


def drawn_export(random: Random, folder: Path) -> Export:
    """An export of one of the kinds, written to a folder."""
    return random.choice(EXPORTS)(random, folder)
