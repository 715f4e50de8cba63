"""Every way to a release, drawn at random and checked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from . import checks, hidden
from .case import Case
from .commands import Job, by_command, literal_of, perform
from .released import Finding, Released, beside, released
from .tables import Table, write_source

PICKY = ("nsvdist", "probabilistic")
"""Methods that refuse most tables, for what they keep or what is required."""


def drawn_levels(case: Case, most: int = 4) -> dict[str, int]:
    """A random rule of at most so many columns."""
    quasi = case.table.named("quasi")
    chosen = case.random.sample(quasi, k=case.random.randint(1, min(most, len(quasi))))
    return {name: case.random.choice((0, 0, 1, 1, 2) if most > 2 else (0, 0, 1)) for name in chosen}


def drawn_require(case: Case) -> dict[str, Any]:
    """Sometimes a requirement in place of the config's."""
    if case.random.random() < 0.75:
        return {}
    return case.random.choice(({"k": 2}, {"k": 4}, {"suppression": 0.5}, {"k": 1, "suppression": 0.9}))


def by_rule(case: Case) -> Released | None:
    """`release RULE`, of which a few are tried."""
    for most in (4, 2, 1):
        flags = ["--keep-roots"] if case.random.random() < 0.15 else []
        job = Job("release", case.target(), drawn_levels(case, most), require=drawn_require(case), flags=flags)
        job = Job(**{**vars(job), "as_json": case.random.random() < 0.7})
        made = case.attempt("release RULE", job)
        if made is not None:
            return made
    return None


def by_run(case: Case) -> Released | None:
    """`run`, at times with its report."""
    report = case.random.random() < 0.2
    made = case.attempt("run", Job("run", case.target(), flags=[] if report else ["--no-report"]))
    if made is not None and report and case.table.form != "pandas":
        page = Path(beside(made.target) + ".report.html")
        secret = {
            text: what for text, what in hidden.hidden_texts(case.table, None).items() if not what.startswith("drop")
        }
        case.find(hidden.found_in(secret, {"report": page.read_bytes()} if page.exists() else {}), made.job)
    return made


def by_lock(case: Case) -> Released | None:
    """`lock RULE`, then `run --locked`."""
    if case.table.form == "pandas":
        return None
    what = (
        literal_of(drawn_levels(case, 2))
        if case.random.random() < 0.7
        else case.random.choice(("mondrian", "tds", "datafly"))
    )
    locked = by_command(case.table.folder, ["lock", what, "--json"])
    case.commands.append(f"lock {what} -> {locked.code}")
    case.find(checks.check_ending({}, {}, locked), Job("lock", method=what))
    if locked.code != 0:
        case.done.append(("lock", "refused", f"{locked.code}: {locked.reason}"))
        return None
    held = {"lock file": (case.table.folder / "anonduck.lock.yml").read_bytes(), "printed": locked.out.encode()}
    case.find(hidden.found_in(hidden.hidden_texts(case.table, None), held), Job("lock", method=what))
    return case.attempt("run --locked", Job("run", case.target(), flags=["--no-report", "--locked"]))


def drawn_settings(case: Case, method: Any) -> dict[str, Any]:
    """Random options of a method."""
    settings: dict[str, Any] = {}
    texts = {
        "outliers": f"{case.table.named('quasi')[0]}=0..30",
        "blocks": "+".join(case.table.named("quasi")),
        "top": "",
        "levels": "",
    }
    for option in method.options:
        if case.random.random() < 0.6:
            continue
        if option.choices:
            settings[option.name] = case.random.choice(option.choices)
        elif isinstance(option.default, bool):
            settings[option.name] = not option.default
        elif isinstance(option.default, float):
            settings[option.name] = case.random.choice((1.2, 1.5, 2))
        elif option.text and texts.get(option.name):
            settings[option.name] = texts[option.name]
    return settings


def by_method(case: Case) -> Released | None:
    """`anonymize METHOD`, any of them."""
    from anonduck.methods.registry import METHODS

    names = [name for name in METHODS if name not in PICKY or case.random.random() < 0.2]
    if not case.table.named("sensitive", "insensitive", "entity"):
        names = [*METHODS, *PICKY, *PICKY]
    method = METHODS[case.random.choice(names)]
    job = Job(
        "anonymize",
        case.target(),
        method=method.name,
        settings=drawn_settings(case, method),
        require=drawn_require(case),
    )
    return case.attempt(f"anonymize {method.name}", job)


def by_classes(case: Case) -> Released | None:
    """`release --classes`, of records dealt at random or in order."""
    table = case.table
    if table.key is None:
        return None
    used = [*table.used]
    if case.random.random() < 0.5:
        case.random.shuffle(used)
    else:
        used.sort(key=lambda row: [str(table.column(name).texts[row]) for name in table.named("quasi")])
    size = case.random.choice((2, 4, 6, 10))
    lines = [f"{table.column(table.key).texts[row]},{index // size}" for index, row in enumerate(used)]
    (table.folder / "classes.csv").write_text("\n".join(["customer,group", *lines]) + "\n")
    return case.attempt(
        "release --classes", Job("release", case.target(), classes="classes.csv", require=drawn_require(case))
    )


def by_sql(case: Case) -> None:
    """`sql RULE`, executed, beside the release of the same rule."""
    import duckdb

    if case.table.form == "pandas":
        return
    levels = drawn_levels(case, 2)
    job = Job("sql", levels=levels, as_json=False, flags=case.random.choice(([], ["--as", "script"])))
    told = perform(case.table, job)
    case.commands.append(f"sql {levels} -> {told.code}")
    case.find(checks.check_ending({}, {}, told), job)
    if told.code != 0:
        case.done.append(("sql", "refused", f"{told.code}: {told.reason}"))
        return
    made = case.attempt("release RULE", Job("release", f"out/beside{case.number}.duckdb::released", levels))
    case.done.append(("sql", "released", ""))
    with duckdb.connect() as connection:
        connection.execute(f"SET file_search_path = '{case.table.folder}'")
        try:
            columns = fetched(connection, told.out)
        except duckdb.Error as error:
            case.find(iter([Finding("sql", f"DuckDB refuses it: {str(error)[:300]}")]), job)
            return
    only_k = set(case.table.keys["requirement"]) <= {"k", "suppression"} and not case.table.entity
    if (
        made is not None
        and (only_k or not made.receipt.get("suppressed"))
        and not checks.same_rows(columns, made.columns)
    ):
        case.find(iter([Finding("sql", "the statement's rows are not those of the release")]), job)


def fetched(connection: Any, text: str) -> dict[str, list[str | None]]:
    """The rows of the last statement of a text, as DuckDB's texts."""
    connection.execute("SET TimeZone = 'UTC'")
    *first, last = connection.extract_statements(text)
    for one in first:
        connection.execute(one).fetchall()
    relation = connection.sql(last.query.rstrip().rstrip(";"))
    relation.create("fetched")
    names = relation.columns
    listed = ", ".join('CAST("' + name.replace('"', '""') + '" AS VARCHAR)' for name in names)
    rows = connection.execute(f"SELECT {listed} FROM fetched").fetchall()
    return {name: [row[index] for row in rows] for index, name in enumerate(names)}


def hidden_change(case: Case) -> None:
    """A value that a release does not show is changed; a release that stays the same is told of in the same words."""
    table = case.table
    if table.form == "pandas":
        return
    levels = drawn_levels(case, 2)
    job = Job("release", "out/same.parquet", levels)
    made = case.attempt("release RULE", job)
    others = [
        column
        for column in table.columns
        if column.role in ("identifier", "drop", "quasi") and column.name not in levels
    ]
    if made is None or not others:
        return
    column = case.random.choice(others)
    row = case.random.randrange(len(column.texts))
    texts = [*column.texts]
    texts[row] = "changed" if column.role == "identifier" else case.random.choice(column.texts)
    folder = table.folder / "changed"
    (folder / "out").mkdir(parents=True)
    changed = [type(c)(**{**vars(c), "texts": texts}) if c is column else c for c in table.columns]
    other = Table(folder, table.form, changed, dict(table.keys), table.where, tag=table.tag)
    write_source(other)
    again = perform(other, job)
    case.commands.append(f"{job.arguments()} with another {column.name!r} in record {row} -> {again.code}")
    if again.code == 0:
        told = released(other, folder, job, again)
        case.find(hidden.told_alike(made, told, f"{column.role} {column.name!r}"), job)


def by_other_export(case: Case) -> None:
    """`release RULE --source FILE`: of some of the records, by the taxonomies of all."""
    table = case.table
    if table.form == "pandas":
        return
    kept = [row for row in range(len(table.columns[0].texts)) if case.random.random() < 0.7]
    if not kept:
        return
    folder = table.folder / "other"
    folder.mkdir(exist_ok=True)
    columns = [replace(column, texts=[column.texts[row] for row in kept]) for column in table.columns]
    other = Table(folder, table.form, columns, dict(table.keys), table.where, tag=table.tag, whole=table)
    write_source(other)
    by_command(table.folder, ["taxonomy", "build"])
    job = Job("release", case.target(), drawn_levels(case, 2), flags=["--source", other.source])
    case.attempt("release RULE --source", job, other)
