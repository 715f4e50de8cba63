"""Warehouses over ADBC: PostgreSQL, tested on a server; BigQuery and Snowflake, which are only read, and untested.

Each question has its own connection, so that no idle connection holds resources on the server while a search runs.
Writing, auditing and renaming a release are one PostgreSQL transaction on one snapshot: nobody sees the release before
it is done, and an interrupted one leaves nothing. The scan of a discovery is not part of that transaction, because a
transaction open for the length of a search would keep the server from cleaning up. The audit reads what was written, so
it covers rows that were added to the source in between.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from anonduck.engines import warehouse_queries
from anonduck.engines.adbc_columns import as_held, give, made_view, read_table
from anonduck.engines.adbc_session import COMMIT, DRIVERS, ServerSession
from anonduck.engines.equality import TEXTS, behaviour_query, check_behaviour, check_texts
from anonduck.engines.group_sizes import NUMBERS
from anonduck.engines.protocol import RECORDS, Profile, Progress, Tally, no_progress
from anonduck.engines.relation import Place, Relation
from anonduck.engines.warehouse_queries import WarehouseTable
from anonduck.errors import SourceError
from anonduck.statements import Statement
from anonduck.statements.dialects import DIALECTS
from anonduck.statements.expansion import Expression, number, qualified
from anonduck.statements.literals import literal
from anonduck.statements.template import line

SPARE = 1.3
"""A sample draws so many times the wanted records, by the estimated size of the table, and then keeps the wanted
number.
"""
LONGEST_NAME = 63  # bytes; PostgreSQL truncates longer names
RELEASED = "anonduck_released_rows"
SEEDED = "SELECT setseed({seed}) IS NULL"
RENAMED = 'ALTER TABLE {table} RENAME TO "{name}"'
LARGEST = "SELECT max(g.records) AS most FROM (SELECT count(*) AS records FROM {rows} AS t GROUP BY t.c0) AS g"
ESTIMATE = "SELECT max(reltuples) FROM pg_class WHERE oid = to_regclass({table}) AND relkind = 'r'"
"""The server's estimate of the number of records of a table; NULL of a view."""
EXISTS = "SELECT to_regclass({table}) IS NOT NULL"


class AdbcEngine:
    """An engine behind an ADBC driver; the environment names the server and the user.

    No server reports how far a query is, so ``progress`` is never called.
    """

    def __init__(self, kind: str = "postgres", *, progress: Progress = no_progress) -> None:
        self.progress = progress
        self._driver = DRIVERS[kind]
        self.kind = self.dialect = kind
        self.title = self._driver.title
        self.writes = self._driver.writes
        self.tally = Tally()
        self._writing: ServerSession | None = None
        self._equal = False

    def version(self) -> str:
        """See Engine."""
        if self.kind != "postgres":
            return self.title
        with self._session() as session:
            return f"{self.title} {_setting(session, 'version').split(' ')[0]}"

    def describe(self, relation: Relation) -> Any:
        """See Engine."""
        with self._session() as session:
            return pa.schema(list(read_table(session, relation).kinds.items()))

    def sample(self, relation: Relation, records: int, seed: int, columns: Sequence[str] | None = None) -> Any:
        """See Engine; a view, and a table that was never analyzed, are sorted."""
        with self._session() as session:
            table = read_table(session, relation)
            share = min(1.0, SPARE * records / max(1, self._estimate(session, relation)))
            if self.kind == "postgres":
                seeded = line("engines/adbc.SEEDED", SEEDED, seed=number(seed % 1000 / 1000))
                session.fetch("seed", seeded)
            names = list(table.columns if columns is None else columns)
            found = self._scanned(session, "sample", warehouse_queries.sample(table, names, records, share))
            return _held(found, table, names)

    def profile(self, relation: Relation, columns: Sequence[str]) -> Profile:
        """See Engine."""
        found, _ = self._asked("profile", relation, lambda table: table.asked("profile", columns))
        records, *counts = (column[0].as_py() for column in found.columns)
        filled, distinct = counts[: len(columns)], counts[len(columns) :]
        return Profile(records, tuple(filled), tuple(distinct), exact=self.kind == "postgres")

    def count_by(self, relation: Relation, columns: Sequence[str], most: int | None = None) -> Any:
        """See Engine."""
        found, table = self._asked(
            "count_by",
            relation,
            lambda table: warehouse_queries.count_by(table, columns, table.inexact(columns), most),
        )
        return None if most is not None and not found.num_rows else _counted(found, table, columns, [RECORDS])

    def histograms(self, relation: Relation, columns: Sequence[str]) -> Any:
        """See Engine."""
        found, table = self._asked(
            "histograms", relation, lambda table: table.asked("histograms", columns, table.inexact(columns))
        )
        return _counted(found, table, columns, ["which", RECORDS])

    def fetch(self, relation: Relation, rows: str, lookups: Mapping[str, Any]) -> Any:
        """See Engine; lookups are temporary tables, which the user must be allowed to create."""
        with contextlib.closing(ServerSession(self._driver, writes=True)) as session:
            give(session, relation, lookups, raw=False)
            found = self._scanned(session, "rows", rows)
        return pa.table([column.cast(pa.int64()) for column in found.columns], names=found.column_names)

    def largest(self, relation: Relation, column: str) -> int:
        """See Engine."""
        found, _ = self._asked(
            "largest", relation, lambda table: line("engines/adbc.LARGEST", LARGEST, rows=table.rows([column]))
        )
        return int(found.column(0)[0].as_py() or 0)

    def snapshot(self, relation: Relation) -> str | None:
        """See Engine; none of these keeps a number that changes exactly when the table's rows do."""
        return None

    def equality(self) -> None:
        """See Engine; texts are compared by their bytes, whatever the collation of their column."""
        if self._equal:
            return
        with self._session() as session:
            if self.kind == "postgres":
                _check_encoding(session)
            groups = session.fetch("equality", warehouse_queries.groups_of((*TEXTS, None, None), self.dialect))
            if self.kind == "postgres":
                found = session.fetch("behaviour", behaviour_query(self.dialect))
                check_behaviour(zip(*(column.to_pylist() for column in found.columns), strict=True), self.version)
        texts, counts = (column.to_pylist() for column in groups.columns)
        check_texts(list(zip(texts, counts, strict=True)), self.title)
        self._equal = True

    def close(self) -> None:
        """See Engine; discards what was written but not renamed."""
        if self._writing is not None:
            self._writing.close()
            self._writing = None

    def group_sizes(self, relation: Relation, kept: Sequence[str], others: Sequence[str], entity: str | None) -> Any:
        """See Engine."""
        columns = [*kept, *others, *([] if entity is None else [entity])]
        found, table = self._asked(
            "group_sizes",
            relation,
            lambda table: warehouse_queries.sizes_of(table, kept, others, entity, table.inexact(columns)),
        )
        _refuse_rounded(found, NUMBERS, table.inexact(columns))
        return found.select(range(NUMBERS))

    def zeros_apart(self, relation: Relation) -> Relation:
        """See Engine; numeric has one zero only."""
        with self._session() as session:
            table = read_table(session, relation)
            kinds = table.kinds.items()
            floats = [n for n, kind in kinds if pa.types.is_floating(kind) and table.columns[n] == "as it is"]
            if not floats:
                return relation
            found = self._scanned(session, "minus_zeros", table.asked("minus_zeros", floats))
        held = [name for name, column in zip(floats, found.columns, strict=True) if column[0].as_py()]
        return relation.cast(held, DIALECTS[self.dialect].types["text"])

    def common(self, relation: Relation, column: str, least: int) -> tuple[Any, int]:
        """See Engine."""
        found, table = self._asked(
            "common", relation, lambda table: table.asked("common", [column], enough=[{"least": least}])
        )
        values = as_held(column, found.column(0), table.kinds[column])
        kept = pc.is_valid(found.column(1))
        counted = pa.Table.from_arrays([values, found.column(1).cast(pa.int64())], names=["value", RECORDS])
        others = found.column(2).filter(pc.invert(kept)).to_pylist()
        return counted.filter(kept), others[0] if others else 0

    def unsorted(self, relation: Relation, columns: Sequence[str]) -> tuple[str, ...]:
        """See Engine; types that PostgreSQL cannot order are read as text."""
        return ()

    # -- what is written -----------------------------------------------------------------------------------------------

    def write(
        self,
        relation: Relation | None,
        rows: str,
        lookups: Mapping[str, Any],
        target: Place,
        records: int | None = None,
    ) -> None:
        """See Engine; in a transaction that ``rename`` commits, invisible to others until then."""
        self._refuse_writing(target)
        self.close()
        session = self._writing = ServerSession(self._driver, writes=True)
        try:
            give(session, relation, lookups, raw=True)
            session.run("rows", made_view(RELEASED, Expression(rows)), rows)
            shown = read_table(session, Relation(Place((RELEASED,))))
            session.run("write", warehouse_queries.dealt_table(target.parts, shown), rows)
            self.tally.add()
        except BaseException:
            self.close()
            raise

    def rename(self, staging: Place, target: Place) -> None:
        """See Engine; the old table is dropped in the same transaction."""
        with self._transaction() as session:
            session.run("replace", _dropped(target))
            table = qualified(*staging.parts)
            session.run("rename", line("engines/adbc.RENAMED", RENAMED, table=table, name=target.parts[-1]))

    def drop(self, staging: Place) -> None:
        """See Engine."""
        self.close()
        if self.exists(staging):
            with self._transaction() as session:
                session.run("drop", _dropped(staging))

    def exists(self, place: Place) -> bool:
        """See Engine."""
        with self._session() as session:
            return bool(_catalog_value(session, "exists", EXISTS, place))

    def _refuse_writing(self, target: Place) -> None:
        if not self.writes:
            raise SourceError(f"{self.title} is read, not written to; release to a file, and load that")
        if not target.parts:
            raise SourceError(f"{self.title} writes tables, not files; name one, schema.table")
        if len(target.parts[-1].encode()) > LONGEST_NAME:
            raise SourceError(f"the name of {target} is too long for {self.title}; it takes {LONGEST_NAME} bytes")

    # -- sessions ------------------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def _session(self) -> Iterator[ServerSession]:
        """The session of the release being written, or a read-only one on a snapshot for one question."""
        if self._writing is not None:
            yield self._writing
            return
        with contextlib.closing(ServerSession(self._driver)) as session:
            yield session

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[ServerSession]:
        """The session of the release being written, or a new one; committed at the end of the block."""
        session = self._writing or ServerSession(self._driver, writes=True)
        self._writing = None
        with contextlib.closing(session):
            yield session
            session.run("commit", COMMIT)

    def _asked(
        self, what: str, relation: Relation, query: Callable[[WarehouseTable], Statement]
    ) -> tuple[Any, WarehouseTable]:
        """The rows of a query on a relation as a pyarrow.Table, and the relation as it is read."""
        with self._session() as session:
            table = read_table(session, relation)
            return self._scanned(session, what, query(table)), table

    def _scanned(self, session: ServerSession, what: str, query: Statement | str) -> Any:
        """The rows of a query as a pyarrow.Table; counts the scan and the rows."""
        table = session.fetch(what, query)
        self.tally.add(table.num_rows)
        return table

    def _estimate(self, session: ServerSession, relation: Relation) -> float:
        """The server's estimate of the number of records of a table; 0 if it has none."""
        if self.kind != "postgres" or relation.where:
            return 0
        return float(_catalog_value(session, "estimate", ESTIMATE, relation.place) or 0)


def _catalog_value(session: ServerSession, what: str, text: str, place: Place) -> Any:
    """What PostgreSQL's catalog says of a table."""
    table = literal(qualified(*place.parts))
    return session.fetch(what, line("engines/adbc._catalog_value", text, table=table))[0][0].as_py()


def _setting(session: ServerSession, what: str) -> str:
    """The version or the encoding of a server of PostgreSQL."""
    query = line("engines/adbc._setting", "SELECT current_setting({name})", name=literal(f"server_{what}"))
    return str(session.fetch(what, query)[0][0].as_py())


def _dropped(place: Place) -> Statement:
    return line("engines/adbc._dropped", "DROP TABLE IF EXISTS {table}", table=qualified(*place.parts))


def _check_encoding(session: ServerSession) -> None:
    if _setting(session, "encoding") == "SQL_ASCII":
        raise SourceError(
            f"{session.driver.title} has a database without an encoding (SQL_ASCII), whose texts may be of any; "
            "copy it into one with UTF8"
        )


def _held(found: Any, table: WarehouseTable, names: Sequence[str]) -> Any:
    """The first columns of what was found, converted to the types of columns."""
    held = [as_held(name, found.column(place), table.kinds[name]) for place, name in enumerate(names)]
    return pa.Table.from_arrays(held, names=list(names))


def _counted(found: Any, table: WarehouseTable, columns: Sequence[str], numbers: Sequence[str]) -> Any:
    """Counted values with their ``numbers``, the columns at the end."""
    _refuse_rounded(found, len(columns), table.inexact(columns))
    counts = [column.cast(pa.int64()) for column in found.columns[-len(numbers) :]]
    return pa.Table.from_arrays([*_held(found, table, columns).columns, *counts], names=[*columns, *numbers])


def _refuse_rounded(found: Any, place: int, inexact: Sequence[str]) -> None:
    """Raise SourceError where some columns are ``inexact``, and the column of that place says that one was rounded."""
    if inexact and any(found.column(place).to_pylist()):
        raise SourceError(
            f"{', '.join(map(repr, inexact))}: numeric without a size is read as double precision, and a value has "
            "more digits than that holds exactly. Read a view that gives the column a size, such as numeric(38, 10)"
        )
