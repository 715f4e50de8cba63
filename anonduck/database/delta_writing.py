"""The next version of a Delta table, of one file that is whole: a single commit of its log, which readers see or not.

The file is renamed into the table's folder before, where no reader looks for what the log does not name.
"""

from __future__ import annotations

import contextlib
import json
import time
import uuid
from pathlib import Path
from typing import Any

from anonduck.database.errors import redacted, why_unopened
from anonduck.database.private_file import put_in_place
from anonduck.errors import ReleaseError

LOG = "_delta_log"
OWN = "anonduck-*.parquet"
SAMPLE = OWN.replace("*", "0")
FEATURES = frozenset({"appendOnly", "invariants", "timestampNtz"})
"""What a table may ask of its writers where all of its files are replaced by one that has the same rows for each."""

PLAIN_WRITER, WITH_FEATURES = 2, 7  # versions of the protocol; those between ask for what is not done here


def refuse_without_package(text: str) -> None:
    """Raise ReleaseError where the package that writes Delta tables is not installed."""
    try:
        import deltalake  # noqa: F401
    except ModuleNotFoundError as error:
        raise ReleaseError(
            f"{text} is read and written by a package that is not installed ({error.name}); "
            "`pip install 'anonduck[delta]'`"
        ) from None


def is_delta_table(folder: Path) -> bool:
    """Whether a folder has a log with a version in it."""
    return any(next((folder / LOG).glob(pattern), None) is not None for pattern in ("*.json", "*.checkpoint*.parquet"))


def own_file(folder: Path) -> Path | None:
    """The file that a release put there, if the newest version of the table is that file alone."""
    if not is_delta_table(folder):
        return None
    names = _names(_opened(folder))
    return folder / names[0] if len(names) == 1 and Path(names[0]).match(OWN) else None


def refuse_unreplaceable(folder: Path, *, overwrite: bool) -> None:
    """Raise ReleaseError for a folder that cannot become, or have, a new version of a Delta table."""
    if not is_delta_table(folder):
        if folder.exists() and not folder.is_dir():
            raise ReleaseError(f"{folder} is a file, where the folder of a Delta table goes; name another folder")
        others = [path.name for path in folder.iterdir() if not _is_left(path)] if folder.exists() else []
        if others:
            raise ReleaseError(
                f"{folder} is no Delta table and holds {min(others)}; name a Delta table, an empty folder or a new one"
            )
        return
    if not overwrite:
        raise ReleaseError(
            f"the Delta table {folder} exists; `--overwrite` adds a version of it, after the new release has been "
            "audited"
        )
    table = _opened(folder)
    protocol, metadata = table.protocol(), table.metadata()
    asked = {*(protocol.writer_features or ()), *(protocol.reader_features or ())} - FEATURES
    if metadata.partition_columns:
        raise _unfit(folder, f"it is partitioned by {', '.join(map(repr, metadata.partition_columns))}")
    if metadata.configuration.get("delta.appendOnly") == "true":
        raise _unfit(folder, "its rows may not be replaced (delta.appendOnly)")
    if asked or PLAIN_WRITER < protocol.min_writer_version < WITH_FEATURES:
        words = ", ".join(sorted(asked)) or f"version {protocol.min_writer_version} of the protocol"
        raise _unfit(folder, f"its writers have to support {words}")


def commit_file(file: Path, folder: Path, *, overwrite: bool) -> None:
    """Rename a Parquet file into a table's folder, and commit it as all that the next version holds.

    Where the commit fails, as when another writer was faster, the version before stays the newest, and the file goes.
    Raises ReleaseError then, and OSError where the file cannot be renamed.
    """
    refuse_unreplaceable(folder, overwrite=overwrite)
    table = _opened(folder) if is_delta_table(folder) else None
    schema = _schema_of(file)
    if table is not None:
        _refuse_lacking(folder, table, schema)
    folder.mkdir(exist_ok=True)
    if table is None:
        for left in folder.glob(OWN):  # of a run that was killed before there was a log
            left.unlink()
    placed = folder / OWN.replace("*", uuid.uuid4().hex)
    try:
        put_in_place(file, placed)
        _commit(placed, folder, table, schema)
    except BaseException as error:  # a panic of Rust's is no Exception
        committed = is_delta_table(folder) and placed.name in _names(_opened(folder))
        if not committed:
            placed.unlink(missing_ok=True)
            if table is None:
                _remove_empty(folder)
        if isinstance(error, (KeyboardInterrupt, SystemExit)) or (isinstance(error, OSError) and not committed):
            raise
        if not committed:  # else what failed came afterwards, such as a checkpoint, which a later version makes
            raise ReleaseError(
                f"the Delta table {folder} was not changed ({type(error).__name__}: {redacted(str(error))}); if "
                "another process wrote to it, run again"
            ) from None


def _commit(file: Path, folder: Path, table: Any, schema: Any) -> None:
    import pyarrow.parquet as pq
    from deltalake.transaction import AddAction, CommitProperties, create_table_with_add_actions

    stats = json.dumps({"numRecords": pq.read_metadata(file).num_rows})
    added = [AddAction(file.name, file.stat().st_size, {}, time.time_ns() // 1_000_000, True, stats)]
    once = CommitProperties(max_commit_retries=0)  # a retry would keep the rows of whoever came between
    if table is None:
        create_table_with_add_actions(str(folder), schema, added, mode="error", commit_properties=once)
    else:
        table.create_write_transaction(added, "overwrite", schema, commit_properties=once)


def _schema_of(file: Path) -> Any:
    """The columns of a file, each of which may hold NULL, as those of the next release may."""
    import pyarrow as pa
    import pyarrow.parquet as pq
    from deltalake import Schema

    return Schema.from_arrow(pa.schema([field.with_nullable(True) for field in pq.read_schema(file)]))


def _refuse_lacking(folder: Path, table: Any, schema: Any) -> None:
    """Raise ReleaseError for times without a zone in a table that has none: the commit would be unreadable."""
    from deltalake.schema import PrimitiveType

    names = [field.name for field in schema.fields if field.type == PrimitiveType("timestamp_ntz")]
    if names and "timestampNtz" not in (table.protocol().writer_features or ()):
        listed = ", ".join(map(repr, names))
        raise _unfit(folder, f"its feature timestampNtz is not on, and {listed} shows times without a zone")


def _opened(folder: Path) -> Any:
    refuse_without_package(str(folder))
    from deltalake import DeltaTable

    try:
        return DeltaTable(str(folder))
    except BaseException as error:
        raise ReleaseError(
            f"{folder} cannot be opened as a Delta table ({why_unopened(error)}); mend it, or name another"
        ) from None


def _names(table: Any) -> list[str]:
    return [Path(uri).name for uri in table.file_uris()]


def _is_left(path: Path) -> bool:
    """Whether a killed run leaves this where there is no version yet: a file without a log, or an empty log."""
    return path.match(OWN) or path.name == LOG


def _remove_empty(folder: Path) -> None:
    for path in (folder / LOG, folder):
        with contextlib.suppress(OSError):
            path.rmdir()


def _unfit(folder: Path, why: str) -> ReleaseError:
    return ReleaseError(f"a release cannot be a version of the Delta table {folder}: {why}; name another folder")
