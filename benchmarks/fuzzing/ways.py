"""Every way to a release, drawn at random and checked, and audits of releases and of sources."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from . import checks, hidden, truth
from .case import Case
from .commands import Job, Outcome, by_command, literal_of
from .released import Finding, Released, beside
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
        job = replace(job, as_json=case.random.random() < 0.7)
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
    quasi = case.table.named("quasi")
    texts = {"outliers": f"{quasi[0]}=0..30", "blocks": "+".join(quasi)}
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
    job = Job("anonymize", case.target(), method=method.name, settings=drawn_settings(case, method))
    job = replace(job, require=drawn_require(case))
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


ODD: tuple[Any, ...] = (
    *(None, True, 0, 1, -1, 7, 10**30, 0.5, -0.0, float("nan")),
    *("", "x", "a\0b", "nosuch", "R1", "1e5", "'; DROP TABLE x"),
    *([], [[]], ["nosuch"], [None], [1, 2], list(range(300)), {}, {"nosuch": 1}, {"": ""}, "y" * 5_000),
)
"""What no key of a config expects."""


def key_paths(node: Any, schema: dict[str, Any], column: str, path: tuple[str | int, ...] = ()) -> Iterator[Any]:
    """Every key of the config's schema, those of a column under one that there is."""
    if path:
        yield path
    if "$ref" in node:
        node = {**schema["$defs"][node["$ref"].rsplit("/", 1)[1]], **{k: v for k, v in node.items() if k != "$ref"}}
    for part in node.get("anyOf", ()):
        yield from key_paths(part, schema, column, path)
    for name, below in node.get("properties", {}).items():
        yield from key_paths(below, schema, column, (*path, name))
    if isinstance(node.get("additionalProperties"), dict):
        yield from key_paths(node["additionalProperties"], schema, column, (*path, column))
    if isinstance(node.get("items"), dict):
        yield from key_paths(node["items"], schema, column, (*path, 0))


def broken_keys(random: Random, column: str) -> dict[str, Any]:
    """A key of the config with a value that it may not have; limits of work stay."""
    from anonduck.config.config import json_schema

    schema = json_schema()
    limits = ("time_limit", "budget", "sample", "source", "database")
    path = random.choice([one for one in key_paths(schema, schema, column) if one[0] not in limits])
    value = random.choice(ODD)
    for step in reversed(path[1:]):
        value = [value] if step == 0 else {step: value}
    return {path[0]: value}


def broken_file(random: Random, data: bytes) -> bytes:
    """A file of which some bytes are others, or of which the end is missing."""
    changed = bytearray(data)
    for _ in range(random.choice((0, 1, 5, 50))):
        changed[random.randrange(len(changed))] = random.randrange(256)
    return bytes(changed[: random.choice((len(data), random.randrange(len(data))))])


def by_broken_input(case: Case) -> None:
    """A command on a broken file or config: it ends as documented, and its words hold no value."""
    table, random = case.table, case.random
    if table.form not in ("csv", "parquet"):
        return
    folder = table.folder / "broken"
    folder.mkdir(exist_ok=True)
    source = folder / Path(table.source).name
    keys = {**table.keys, "source": str(source), "database": "decisions.duckdb", "time_limit": 5}
    data = Path(table.source).read_bytes()
    if random.random() < 0.5:
        data = broken_file(random, data)
    else:
        keys |= broken_keys(random, table.named("quasi")[0])
    source.write_bytes(data)
    (folder / "anonduck.yml").write_text(json.dumps(keys), encoding="utf-8")
    release = ["release", literal_of(drawn_levels(case)), "-o", "o.csv"]
    commands = (["discover"], ["run", "-o", "o.csv", "--no-report"], release, ["taxonomy", "build"], ["advise"])
    command = random.choice((*commands, ["anonymize", "mondrian", "-o", "o.parquet"], ["quasi-identifiers"]))
    outcome = by_command(folder, command)
    case.commands.append(f"{command} of {json.dumps(keys)} -> {outcome.code}")
    case.done.append(("broken input", "released" if outcome.code == 0 else "refused", ""))
    job = Job(command[0], "broken input")
    case.find(checks.check_ending({}, {}, outcome), job)
    case.find(hidden.found_in(hidden.hidden_texts(table, None), {"printed": (outcome.out + outcome.err).encode()}), job)


def audited(case: Case, made: Released | None) -> None:
    """`audit` of a release, by the roles of its columns."""
    if made is None or made.method == "nsvdist":
        return
    table = case.table
    roles = [arg for name in table.named("sensitive") for arg in ("--sensitive", name) if name in made.columns]
    roles += [arg for name in table.named("insensitive") for arg in ("--insensitive", name) if name in made.columns]
    roles += ["--class", table.keys["class"]]
    outcome = by_command(table.folder, ["audit", made.job.target, *roles, "--json", "--require", "k=2"])
    case.commands.append(f"audit {made.job.target} -> {outcome.code}")
    reached = truth.measured(made.columns, made.quasi, table.named("sensitive"))
    case.find(judged(outcome, reached, f"audit {made.job.target}"), made.job)


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
    arguments = [arg for name in quasi for arg in ("-q", name)]
    arguments += [arg for name in sensitive for arg in ("--sensitive", name)]
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
