"""Every way to a release, drawn at random and checked."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from . import checks, reading, truth
from .checks import Finding, Released
from .covers import check_covers
from .commands import Job, Outcome, by_command, perform
from .tables import Table, fill, write_source

PICKY = ("nsvdist", "probabilistic")
"""Methods that refuse most tables, for what they keep or what is required."""

TARGETS = ("out/{}.parquet", "out/{}.csv", "out/{}.duckdb::released")


@dataclass
class Case:
    """One table, what was done with it, and what was found."""

    random: Random
    table: Table
    done: list[tuple[str, str, str]] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)
    number: int = 0

    def target(self) -> str:
        """A new name for a release."""
        self.number += 1
        return self.random.choice(TARGETS).format(f"r{self.number}")

    def find(self, found: Iterator[Finding], job: Job | None) -> None:
        """Keep findings, each with the command that it is of."""
        words = " ".join(map(repr, job.arguments())) if job else ""
        for one in found:
            self.findings.append(Finding(one.kind, f"{one.words}\n    by {words}" if words else one.words))

    def attempt(self, name: str, job: Job) -> Released | None:
        """Do a job, check how it ended, and the release where there is one."""
        before = standing(self.table.folder / "out")
        outcome = perform(self.table, job)
        self.commands.append(f"{' '.join(map(repr, job.arguments()))} -> {outcome.code}")
        self.find(checks.check_ending(before, standing(self.table.folder / "out"), outcome), job)
        if outcome.code != 0:
            self.done.append((name, "refused", f"{outcome.code}: {outcome.reason}"))
            told = {"printed": (outcome.out + outcome.err).encode()}
            self.find(checks.found_in(checks.hidden_texts(self.table, None), told), job)
            return None
        self.done.append((name, "released", ""))
        made = checks.released(self.table, job, outcome)
        self.find(checks.check_release(made), job)
        if made.rows and self.random.random() < 0.5:
            self.find(check_covers(made), job)
        return made


def standing(folder: Path) -> dict[str, int]:
    """The files of a folder, with a sum of their bytes."""
    return {str(path.relative_to(folder)): zlib.crc32(path.read_bytes()) for path in folder.rglob("*") if path.is_file()}


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
        page = Path(checks.beside(made.target) + ".report.html")
        hidden = {text: what for text, what in checks.hidden_texts(case.table, None).items() if not what.startswith("drop")}
        case.find(checks.found_in(hidden, {"report": page.read_bytes()} if page.exists() else {}), made.job)
    return made


def by_lock(case: Case) -> Released | None:
    """`lock RULE`, then `run --locked`."""
    if case.table.form == "pandas":
        return None
    what = literal(drawn_levels(case, 2)) if case.random.random() < 0.7 else case.random.choice(("mondrian", "tds", "datafly"))
    locked = by_command(case.table.folder, ["lock", what, "--json"])
    case.commands.append(f"lock {what} -> {locked.code}")
    case.find(checks.check_ending({}, {}, locked), Job("lock", method=what))
    if locked.code != 0:
        case.done.append(("lock", "refused", f"{locked.code}: {locked.reason}"))
        return None
    held = {"lock file": (case.table.folder / "anonduck.lock.yml").read_bytes(), "printed": locked.out.encode()}
    case.find(checks.found_in(checks.hidden_texts(case.table, None), held), Job("lock", method=what))
    return case.attempt("run --locked", Job("run", case.target(), flags=["--no-report", "--locked"]))


def literal(levels: dict[str, int]) -> str:
    """A rule as text."""
    from .commands import literal_of

    return literal_of(levels)


def drawn_settings(case: Case, method: Any) -> dict[str, Any]:
    """Random options of a method."""
    settings: dict[str, Any] = {}
    texts = {"outliers": f"{case.table.named('quasi')[0]}=0..30", "blocks": "+".join(case.table.named("quasi")), "top": "", "levels": ""}
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
    job = Job("anonymize", case.target(), method=method.name, settings=drawn_settings(case, method), require=drawn_require(case))
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
    return case.attempt("release --classes", Job("release", case.target(), classes="classes.csv", require=drawn_require(case)))


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
    if made is not None and (only_k or not made.receipt.get("suppressed")) and not checks.same_rows(columns, made.columns):
        case.find(iter([Finding("sql", "the statement's rows are not those of the release")]), job)


def fetched(connection: Any, text: str) -> dict[str, list[str | None]]:
    """The rows of the last statement of a text, as DuckDB's texts."""
    connection.execute("SET TimeZone = 'UTC'")
    *first, last = [one for one in connection.extract_statements(text)]
    for one in first:
        connection.execute(one).fetchall()
    relation = connection.sql(last.query.rstrip().rstrip(";"))
    relation.create("fetched")
    names = relation.columns
    listed = ", ".join("CAST(\"" + name.replace('"', '""') + '" AS VARCHAR)' for name in names)
    rows = connection.execute(f"SELECT {listed} FROM fetched").fetchall()
    return {name: [row[index] for row in rows] for index, name in enumerate(names)}


def audited(case: Case, made: Released | None) -> None:
    """`audit` of a release, by the roles of its columns."""
    if made is None or made.method == "nsvdist":
        return
    table = case.table
    roles = audit_roles(table, made.columns)
    outcome = by_command(table.folder, ["audit", made.job.target, *roles, "--json", "--require", "k=2"])
    case.commands.append(f"audit {made.job.target} -> {outcome.code}")
    reached = truth.measured(made.columns, shown_quasi(made), table.named("sensitive"))
    case.find(judged(outcome, reached, f"audit {made.job.target}"), made.job)


def shown_quasi(made: Released) -> list[str]:
    """The quasi-identifiers of a release, without the class."""
    return [name for name in made.table.named("quasi") if name in made.columns]


def audit_roles(table: Table, columns: Any) -> list[str]:
    """Options of `audit` that tell the roles."""
    roles = [arg for name in table.named("sensitive") for arg in ("--sensitive", name) if name in columns]
    roles += [arg for name in table.named("insensitive") for arg in ("--insensitive", name) if name in columns]
    return [*roles, "--class", table.keys["class"]]


def judged(outcome: Outcome, reached: dict[str, float], what: str) -> Iterator[Finding]:
    """An audit's figures and exit code beside the truth; k = 2 was required."""
    yield from checks.check_ending({}, {}, outcome)
    yield from checks.check_audit(outcome.document, reached, what)
    if outcome.code == 0 and reached.get("k", 2) < 2:
        yield Finding("not met", f"{what}: k = 2 is required, {reached['k']} is true, exit code 0")


def of_the_source(case: Case) -> None:
    """`audit` of the source itself, as if it were a release; of persons where it has some."""
    table = case.table
    if table.form not in ("parquet", "duckdb"):
        return
    quasi = case.random.sample(table.named("quasi"), k=case.random.randint(1, len(table.named("quasi"))))
    sensitive = table.named("sensitive")
    held = table.truth["arrow" if table.form == "parquet" else "text"]
    arguments = [arg for name in quasi for arg in ("-q", name)] + [arg for name in sensitive for arg in ("--sensitive", name)]
    reached = truth.measured(held, quasi, sensitive)
    if table.entity and case.random.random() < 0.7:
        arguments += ["--entity", table.entity]
        persons = held[table.entity]
        classes = truth.classes_of(held, quasi)
        reached = {
            "k": truth.fewest_persons(classes, persons.__getitem__),
            "linked_k": truth.linked(classes, persons.__getitem__),
        }
    outcome = by_command(table.folder, ["audit", table.source, *arguments, "--json", "--require", "k=2"])
    case.commands.append(f"audit {table.source} {arguments} -> {outcome.code}")
    case.done.append(("audit of the source", "released" if outcome.code < 2 else "refused", outcome.reason))
    case.find(judged(outcome, reached, f"audit of the source {arguments}"), None)


def two_releases(case: Case) -> None:
    """`audit --against` an earlier release of the same people, whose true places the tags tell."""
    table = case.table
    if table.tag is None or table.entity or table.form == "pandas":
        return
    first, second = by_rule(case), (by_rule if case.random.random() < 0.6 else by_method)(case)
    if first is None or second is None or not first.records or not second.records:
        return
    places = [truth.classes_of(made.columns, shown_quasi(made)) for made in (first, second)]
    true = truth.smallest_intersection(places[0], first.records, places[1], second.records)
    roles = audit_roles(table, first.columns)
    for how in (["--uncompared", "tag"], ["--entity", "tag"], ["--uncompared", "tag", "--original", table.source, *exported(case)]):
        needed = case.random.choice((2, 3, 5))
        asked = ["audit", first.job.target, *without_tag(roles, how), "--against", second.job.target, *how, "--json"]
        outcome = by_command(table.folder, [*asked, "--measures", "required", "--require", f"composition={needed}"])
        case.commands.append(f"{asked} -> {outcome.code}")
        case.done.append((f"against {how[0]}{' --original' if '--original' in how else ''}", "released" if outcome.code < 2 else "refused", f"{outcome.code}: {outcome.reason}" if outcome.code >= 2 else ""))
        case.find(composed(outcome, true, needed, " ".join(map(repr, asked))), None)


def without_tag(roles: list[str], how: list[str]) -> list[str]:
    """Roles without the tag where it is the key of persons."""
    if "--entity" not in how:
        return roles
    pairs = [(roles[index], roles[index + 1]) for index in range(0, len(roles), 2)]
    return [arg for pair in pairs if pair[1] != "tag" for arg in pair]


def exported(case: Case) -> list[str]:
    """Options of `audit` with the taxonomies of texts, exported."""
    options = []
    for index, name in enumerate(case.table.named("quasi")):
        file = f"taxonomy{index}.csv"
        outcome = by_command(case.table.folder, ["taxonomy", "export", name, "-o", file, "--overwrite"])
        if outcome.code == 0 and case.table.column(name).kind in ("VARCHAR", "ENUM", "BOOLEAN", "UUID", "INTERVAL", "BLOB"):
            options += ["--taxonomy", f"{name}={file}"]
    return options


def composed(outcome: Outcome, true: int | None, needed: int, what: str) -> Iterator[Finding]:
    """What was said of two releases together, beside the truth."""
    yield from checks.check_ending({}, {}, outcome)
    measure = outcome.document.get("measures", {}).get("composition")
    if true is None or measure is None or measure.get("reached") is None:
        return
    if outcome.code == 0 and true < needed:
        yield Finding("not met", f"composition {needed} is required, {true} is true, exit code 0: {what}")
    said, bound = checks.figure(measure["reached"]), measure.get("upper_bound") or measure.get("not_shown")
    if not bound and said > true:
        yield Finding("false promise", f"composition = {said}, true {true}: {what} {measure}")
    if said < true and said != 1:
        yield Finding("understated", f"composition {said}, true {true}: {what} {measure}")


def hidden_change(case: Case) -> None:
    """A value that a release does not show is changed; a release that stays the same is told of in the same words."""
    table = case.table
    if table.form == "pandas":
        return
    levels = drawn_levels(case, 2)
    job = Job("release", "out/same.parquet", levels)
    made = case.attempt("release RULE", job)
    others = [column for column in table.columns if column.role in ("identifier", "drop", "quasi") and column.name not in levels]
    if made is None or not others:
        return
    column = case.random.choice(others)
    row = case.random.randrange(len(column.texts))
    texts = [*column.texts]
    texts[row] = "changed" if column.role == "identifier" else case.random.choice(column.texts)
    folder = table.folder / "changed"
    (folder / "out").mkdir(parents=True)
    changed = [type(c)(**{**vars(c), "texts": texts}) if c is column else c for c in table.columns]
    keys = {name: value for name, value in table.keys.items()}
    other = Table(folder, table.form, changed, keys, table.where, tag=table.tag)
    write_source(other)
    again = perform(other, job)
    case.commands.append(f"{job.arguments()} with another {column.name!r} in record {row} -> {again.code}")
    if again.code == 0:
        case.find(told_alike(made, checks.released(other, job, again), f"{column.role} {column.name!r}"), job)


def told_alike(first: Released, second: Released, what: str) -> Iterator[Finding]:
    """Receipts and dictionaries of two releases of the same bytes are the same."""
    if Path(first.target).read_bytes() != Path(second.target).read_bytes():
        return
    for name in {*first.receipt, *second.receipt} - {"fingerprints"}:
        if first.receipt.get(name) != second.receipt.get(name):
            yield Finding("hidden figure", f"the receipt's {name} depends on {what}")
    start, other = checks.beside(first.target), checks.beside(second.target)
    for suffix in (".dictionary.json", ".dictionary.md"):
        if Path(start + suffix).read_bytes() != Path(other + suffix).read_bytes():
            yield Finding("hidden figure", f"{suffix} depends on {what}")


WAYS: tuple[Callable[[Case], Any], ...] = (
    *(by_rule, by_method, by_method, by_method, by_run, by_lock, by_classes, by_sql, of_the_source, two_releases),
    *(hidden_change,),
)


def play(case: Case) -> None:
    """Do a few things with a table."""
    (case.table.folder / "out").mkdir()
    for way in case.random.sample(WAYS, k=3):
        made = way(case)
        if isinstance(made, Released) and case.random.random() < 0.5:
            audited(case, made)


__all__ = ["Case", "Finding", "fill", "json", "play", "reading"]
