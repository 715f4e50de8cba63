"""Classes that were assigned elsewhere: a table of records' keys with their classes, joined with the source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anonduck.config.config import Config
from anonduck.config.ways import RANGES
from anonduck.database.connection import Database
from anonduck.database.fingerprints import fingerprint_key, text_fingerprint
from anonduck.database.progress import Reporter
from anonduck.errors import AuditError, ReleaseError, SourceError
from anonduck.privacy.audited_engine import DuckDBFile
from anonduck.privacy.audited_file import listed, open_release
from anonduck.release.class_recoder import Assignment, ClassRecoder, class_recoder
from anonduck.release.job import release_by
from anonduck.release.plan import ReleaseSettings
from anonduck.release.recoded_columns import KEYED, KEYS
from anonduck.release.recoder import Recipe, ReleaseInputs
from anonduck.release.release import Release
from anonduck.release.released_rows import Assigner, by_key
from anonduck.release.target import ReleaseTarget
from anonduck.release.ways import refuse_way
from anonduck.source.columns import Column
from anonduck.source.engine import EngineSource, SourceEngine
from anonduck.source.protected_files import ProtectedFiles, with_log
from anonduck.source.source import Roles, Source
from anonduck.statements import Statement, line, statement
from anonduck.statements.expansion import Expression
from anonduck.statements.pipeline.column_names import value_column
from anonduck.statements.template import temporary_table_of
from anonduck.workspace import Workspace


@dataclass(frozen=True)
class ClassTable:
    """A table of two columns, a record's key and its class, as text.

    ``lines`` by column that could be the key: an Arrow table with the columns key and class.
    """

    file: str | None
    lines: Mapping[str, Any]
    files: Mapping[Path, str]

    @property
    def text(self) -> str:
        """Which table it is."""
        return _text(self.file)

    @property
    def classes(self) -> str:
        """Whose classes they are."""
        return "the given classes" if self.file is None else f"the classes of {self.file}"

    def key(self, source: Source, roles: Roles, named: str | None) -> Column:
        """The source's column of keys: the one that is named, or the identifier that the table has too.

        Raises ReleaseError or SourceError, listing what there is, if there is none.
        """
        if named is not None and named not in self.lines:
            raise ReleaseError(f"{self.text} has no column {named!r}; it has {listed(list(self.lines))}")
        found = [named] if named is not None else [name for name in roles.identifiers if name in self.lines]
        if len(found) != 1:
            which = "more than one of them is" if found else "none of them is"
            raise ReleaseError(
                f"{self.text} has the columns {listed(list(self.lines))}, and {which} an identifier "
                f"of the source ({listed(roles.identifiers) or 'it has none'}); name the column of keys, which both "
                "have, with `--key COLUMN`"
            )
        column = source.column(found[0])
        if column.nested:
            raise ReleaseError(f"column {column.name!r} is {column.type}; a key is a single value. Name another column")
        return column


def read_class_table(classes: object, config: Config) -> ClassTable:
    """Read a class table: CSV, Parquet, ``FILE.duckdb::table``, or a pandas, Arrow or Polars table.

    Raises ReleaseError for what cannot be read, or has not two columns.
    """
    file = str(classes) if isinstance(classes, (str, Path)) else None
    work = Database(threads=config.threads, memory_limit=config.memory_limit, timezone=config.timezone)
    try:
        with open_release(work, classes, None, noun="table", hint="found in its first lines", one_zero=True):
            columns = list(DuckDBFile(work).columns())
            if len(columns) != 2:
                number = "1 column" if len(columns) == 1 else f"{len(columns)} columns"
                raise ReleaseError(f"{_text(file)} has {number}; it needs two, the key of a record and its class")
            one, other = columns
            lines = {key: _lines(work, key, class_) for key, class_ in ((one, other), (other, one))}
    except (AuditError, SourceError) as error:
        raise ReleaseError(f"the class table cannot be used: {error}") from None
    finally:
        work.close()
    return ClassTable(file, lines, _files(classes))


def _text(file: str | None) -> str:
    return "the given class table" if file is None else f"the class table {file}"


def _lines(work: Database, key: str, class_: str) -> Any:
    text = 'SELECT "{key}"::VARCHAR AS key, "{class_}"::VARCHAR AS class FROM release'
    return work.arrow(line("release/keyed_classes._lines", text, key=key, class_=class_))


def _files(classes: object) -> dict[Path, str]:
    """The files of the table, by what they are: a release does not replace them."""
    if not isinstance(classes, (str, Path)):
        return {}
    path = Path(str(classes))
    if path.exists() or "::" not in str(classes):
        return {path: "the class table"}
    return with_log(Path(str(classes).partition("::")[0]), "the class table")


def assigned_keys(kind: str) -> Statement:
    """``assigned_keys``: the lines of a class table with their keys as values of a type, or NULL."""
    text = "SELECT TRY_CAST(key AS {kind}) AS key, key AS written, class FROM class_table"
    return temporary_table_of(KEYS, line("release/keyed_classes.assigned_keys", text, kind=Expression(kind)))


def assigned_set(columns: Sequence[str], key: str) -> Statement:
    """``release_set``: the records of KEYED by the values of some columns and assigned class."""
    lists = {"columns": list(dict.fromkeys(columns))}
    return statement("release/assigned_set.sql", column={"source_key": value_column(key)}, lists=lists)


WORDS = "classes assigned elsewhere, each generalized to its smallest common node in every column"


@dataclass(frozen=True)
class KeyedClasses(Assignment):
    """The classes of a table, and the column of the source that holds its keys."""

    table: ClassTable
    key: Column

    @property
    def text(self) -> str:
        """Whose classes they are."""
        return self.table.classes

    @property
    def advice(self) -> str:
        """What whoever assigned them can do."""
        return "Assign larger classes"

    @property
    def more_in_common(self) -> str:
        """The same, where they are too large."""
        return "assign classes whose records have more in common"

    @property
    def assigner(self) -> Assigner:
        """The keys of the records with their classes."""
        return by_key(self.key.name)

    def scan(self, engine: SourceEngine, held: Sequence[str]) -> None:
        """Scan the source with its keys, and join it with their classes."""
        database = engine.database
        engine.frequency_set([*held, self.key.name], KEYED)
        self._assign(database)
        database.run(assigned_set(held, self.key.name))

    def assign(self, database: Database, inputs: ReleaseInputs, reporter: Reporter) -> None:
        """Nothing: each record came with its class."""

    def _assign(self, database: Database) -> None:
        """Write ``assigned_records``; raises ReleaseError unless each record has one class."""
        with database.registered("class_table", self.table.lines[self.key.name]):
            database.run(assigned_keys(self.key.type))
        query = statement("release/class_faults.sql", column={"source_key": value_column(self.key.name)})
        (faults,) = database.records(query)
        found = list(_fault_words(faults, self.key.name))
        if found:
            raise ReleaseError(
                f"{self.table.text} does not give each record of the source one class: "
                f"{'; '.join(found)}. Each key of the source needs just one line, with its class"
            )
        database.run(statement("release/assigned_classes.sql"))
        text = "SELECT k.key, c.assigned FROM assigned_keys AS k JOIN assigned_classes AS c ON c.class = k.class"
        database.run(temporary_table_of("assigned_records", line("release/keyed_classes._assign", text)))

    def described(self, database: Database, staying: str) -> dict[str, Any]:
        """The number of released classes, and a fingerprint of the assignments, in whatever order their lines are."""
        text = "SELECT count(*), sum(hash(assigned_records)::HUGEINT)::VARCHAR FROM assigned_records"
        digest = str(database.row(line("release/keyed_classes.described", text)))
        return {
            "name": "classes",
            "words": WORDS,
            "classes": database.count("assigned_nodes"),
            "fingerprint": text_fingerprint(fingerprint_key(database), digest),
        }

    def forget(self, database: Database) -> None:
        """Remove the keys with their classes."""
        database.drop("keyed_set")
        for made in (KEYS, "assigned_records"):
            database.drop(("temp", made))


def release_classes(
    workspace: Workspace, classes: object, key: str | None, target: ReleaseTarget | None, settings: ReleaseSettings
) -> Release:
    """Recode the source by the classes of a table, a record's key and its class."""
    if isinstance(workspace.source.engine, EngineSource):
        raise ReleaseError(
            "classes assigned elsewhere need the key of each record, and no record is fetched from an engine; release "
            "by a rule or a method, or export the source to Parquet and release from there"
        )
    config = workspace.config
    shown = settings.show or (RANGES if RANGES in config.ways else config.ways[0])
    refuse_way(None, shown, "a release by classes that were assigned elsewhere")
    table = read_class_table(classes, config)
    if target is not None:
        ProtectedFiles(table.files).refuse(target.written, ReleaseError)

    def make(inputs: ReleaseInputs) -> ClassRecoder:
        return class_recoder(KeyedClasses(table, table.key(inputs.source, inputs.roles, key)), inputs)

    return release_by(workspace, Recipe(make), target, settings)


def _fault_words(faults: Mapping[str, int], key: str) -> Iterator[str]:
    words = {
        "no_key": ("1 of its lines has no key", "{} of its lines have no key"),
        "no_class": ("1 of its lines has no class", "{} of its lines have no class"),
        "repeated": ("1 key stands in more than one line", "{} keys stand in more than one line"),
        "unknown": ("1 of its keys is that of no record", "{} of its keys are those of no record"),
        "unkeyed": ("1 record of the source has no value in {!r}", "{} records of the source have no value in {!r}"),
        "ambiguous": ("1 key is that of more than one record", "{} keys are those of more than one record"),
        "unassigned": ("1 record of the source has no class", "{} records of the source have no class"),
    }
    for name, (one, many) in words.items():
        if faults[name] == 1:
            yield one.format(key)
        elif faults[name]:
            yield many.format(f"{faults[name]:,}", key)
