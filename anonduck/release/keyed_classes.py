"""Classes that were assigned elsewhere: a table of records' keys, joined with the source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from anonduck.database.connection import Database
from anonduck.database.fingerprints import fingerprint_key, text_fingerprint
from anonduck.database.progress import Reporter
from anonduck.errors import ReleaseError
from anonduck.release.class_recoding import ClassRecoding, class_recoding
from anonduck.release.class_table import ClassTable, read_class_table
from anonduck.release.job import release_by
from anonduck.release.made_releases import keep_made
from anonduck.release.recoding import RELEASE_SET, Ground, Recipe
from anonduck.release.release import Release
from anonduck.release.target import ReleaseTarget
from anonduck.source.columns import Column
from anonduck.source.engine import SourceEngine
from anonduck.source.engine_source import EngineSource
from anonduck.source.protected_files import ProtectedFiles
from anonduck.statements import statement
from anonduck.statements.pipeline import builder_classes
from anonduck.statements.pipeline.builder_classes import Assigner
from anonduck.statements.pipeline.builder_frequency import value_column
from anonduck.workspace import Workspace

WORDS = "classes assigned elsewhere, each generalized to its smallest common node in every column"


@dataclass(frozen=True)
class KeyedClasses:
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
    def raised(self) -> bool:
        """No class is shown above its smallest common nodes."""
        return False

    @property
    def assigner(self) -> Assigner:
        """The keys of the records with their classes."""
        return builder_classes.by_key(self.key.name)

    @property
    def free_intervals(self) -> bool:
        """No: all are shown by nodes."""
        return False

    @property
    def prepared(self) -> tuple[str, ...]:
        """None: classes are of the values that the source has."""
        return ()

    def scan(self, engine: SourceEngine, held: Sequence[str]) -> None:
        """Scan the source with its keys, and join it with their classes."""
        database = engine.database
        engine.frequency_set([*held, self.key.name], builder_classes.KEYED)
        self._assign(database)
        database.run(builder_classes.assigned_set(RELEASE_SET, held, self.key.name))

    def assign(self, database: Database, ground: Ground, held: Sequence[str], reporter: Reporter) -> None:
        """Nothing: each record came with its class."""

    def _assign(self, database: Database) -> None:
        """Write ``assigned_records``; raises ReleaseError unless each record has one class."""
        database.register("class_table", self.table.lines[self.key.name])
        try:
            database.run(builder_classes.assigned_keys(self.key.type))
        finally:
            database.unregister("class_table")
        query = statement("release/class_faults.sql", column={"source_key": value_column(self.key.name)})
        (faults,) = database.records(query)
        found = list(_fault_words(faults, self.key.name))
        if found:
            raise ReleaseError(
                f"{self.table.text} does not give each record of the source one class: "
                f"{'; '.join(found)}. Each key of the source needs just one line, with its class"
            )
        for name in ("assigned_classes", "assigned_records"):
            database.run(statement(f"release/{name}.sql"))

    @property
    def warnings(self) -> tuple[str, ...]:
        """None: whoever made the classes knows what they tell."""
        return ()

    @property
    def remarks(self) -> tuple[str, ...]:
        """None either."""
        return ()

    def described(self, database: Database, staying: str) -> dict[str, Any]:
        """The number of released classes, and a fingerprint of the assignments."""
        digest = str(database.row(statement("release/class_digest.sql")))
        return {
            "name": "classes",
            "words": WORDS,
            "classes": database.value(statement("release/class_count.sql")),
            "fingerprint": text_fingerprint(fingerprint_key(database), digest),
        }

    def forget(self, database: Database) -> None:
        """Remove the keys with their classes."""
        database.run(statement("release/class_forget_keyed.sql"))
        for made in (builder_classes.KEYS, "assigned_records"):
            database.run(statement("release/class_forget.sql", table={"made": made}))


def release_classes(
    workspace: Workspace, classes: object, key: str | None, target: ReleaseTarget | None, **options: Any
) -> Release:
    """Recode the source by the classes of a table, a record's key and its class; ``options`` are those of
    ``release_by``."""
    if isinstance(workspace.source.engine, EngineSource):
        raise ReleaseError(
            "classes assigned elsewhere need the key of each record, and no record is fetched from an engine; release "
            "by a rule or a method, or export the source to Parquet and release from there"
        )
    config = workspace.config
    settings = {"threads": config.threads, "memory_limit": config.memory_limit, "timezone": config.timezone}
    table = read_class_table(classes, **settings)
    if target is not None:
        ProtectedFiles(table.files).refuse(target.written, ReleaseError)

    def make(ground: Ground) -> ClassRecoding:
        return class_recoding(KeyedClasses(table, table.key(ground.source, ground.roles, key)), ground)

    made = release_by(workspace, Recipe(make), target, **options)
    if made.written and target is not None:
        keep_made(workspace.database, target, made)
    return made


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
