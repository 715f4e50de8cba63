"""Taxonomies to files: one column per level, leaf first; ARX hierarchies, CSV, Parquet, seeds of dbt."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from anonduck.database.connection import Database
from anonduck.database.private_file import whole_file
from anonduck.errors import TaxonomyError, check_path
from anonduck.statements import line, statement
from anonduck.statements.column_types import IN_PARQUET, without_parameters
from anonduck.statements.template import temporary_table_of
from anonduck.taxonomy.catalog import CatalogEntry, entries, taxonomy_fields
from anonduck.taxonomy.files.files import LOWER_BOUND
from anonduck.taxonomy.files.text_lines import is_parquet

FORMATS = ("arx", "csv", "parquet", "dbt")
ORDER = ("#node", "#leaf")
"""The columns of `exported` that only order its rows."""


def export_taxonomy(
    database: Database,
    column: str,
    path: Path,
    *,
    format_: str = "arx",
    sep: str | None = None,
    header: bool | None = None,
    overwrite: bool = False,
) -> list[Path]:
    """Write the taxonomy of a column, leaf first, then one label per level, to a file of mode 0600; returns the files.

    ``arx`` is CSV with ``;`` and no header; ``csv`` has ``,`` and a header, ``parquet`` the leaf in its own type,
    ``dbt`` a CSV seed and a properties file of the same name beside it. Those three keep the bounds of intervals, in
    the column ``lower_bound``; ARX's format has no place for them. A file appears whole or not at all. It holds values
    of the source. Raises TaxonomyError for a column without a taxonomy, and for a path that exists (unless
    ``overwrite``) or cannot be written.
    """
    fields = taxonomy_fields(database, column)
    written = export_files(path, format_)
    _refuse(path, format_, sep, header, overwrite)
    for file in written:
        _refuse_existing(file, overwrite)
    entry = entries(database)[column]
    if format_ != "arx" and entry.taxonomy.kind == "intervals":
        fields.append(LOWER_BOUND)
    try:
        _collect(database, entry, fields)
        with whole_file(path, TaxonomyError) as temporary:
            _copy(database, fields, temporary, format_, sep or (";" if format_ == "arx" else ","), header)
        for beside in written[1:]:
            with whole_file(beside, TaxonomyError) as temporary:
                temporary.write_text(_properties(database, path.stem, column), encoding="utf-8")
    finally:
        database.drop("exported")
    return written


def export_files(path: Path, format_: str) -> list[Path]:
    """The files that an export writes: with ``dbt`` the properties of the seed too."""
    return [path, path.with_suffix(".yml")] if format_ == "dbt" else [path]


def write_rows(database: Database, fields: Sequence[str], path: Path, *, overwrite: bool = False) -> None:
    """Write columns of the temporary table ``exported``, by the path's ending to Parquet or CSV, with mode 0600."""
    _refuse_existing(path, overwrite)
    with whole_file(path, TaxonomyError) as temporary:
        if is_parquet(path):
            database.run(
                statement("taxonomy/files/export_parquet.sql", columns={"fields": fields}), {"path": str(temporary)}
            )
        else:
            _copy(database, fields, temporary, "csv", ",", header=True)


def _refuse(path: Path, format_: str, sep: str | None, header: bool | None, overwrite: bool) -> None:
    if format_ not in FORMATS:
        raise TaxonomyError(f"there is no export format {format_!r}; choose among {', '.join(FORMATS)}")
    if format_ == "parquet" and (sep is not None or header is not None):
        raise TaxonomyError("a Parquet file has no separator or header to set")
    if format_ == "dbt" and (sep not in (None, ",") or header is False or path.suffix != ".csv"):
        raise TaxonomyError(f"{path}: a dbt seed is a CSV file, NAME.csv, with commas and a header")
    _refuse_existing(path, overwrite)


def _refuse_existing(path: Path, overwrite: bool) -> None:
    check_path(path, TaxonomyError)
    if path.is_dir():
        raise TaxonomyError(f"{path} is a directory; name the file to write in it")
    if path.exists() and not overwrite:
        raise TaxonomyError(f"{path} exists; name another file or say `--overwrite`")


def _collect(database: Database, entry: CatalogEntry, fields: Sequence[str]) -> None:
    """Write the rows to export to the temporary table ``exported``."""
    column = entry.taxonomy.column
    if LOWER_BOUND not in fields:
        text = 'SELECT each(fields, "{name}";), 0 AS "#node", code_0 AS "#leaf" FROM "taxonomy"."{column}"'
        leaves = line("taxonomy/files/export._collect", text, fields=fields, column=column)
        database.run(temporary_table_of("exported", leaves))
        return
    tables = {"taxonomy": ("taxonomy", column), "bounds": ("bounds", column)}
    levels = [field for field in fields if field not in ("value", LOWER_BOUND)]
    database.run(statement("taxonomy/files/export_intervals.sql", columns={"levels": levels}, table=tables))


def _copy(database: Database, fields: Sequence[str], path: Path, format_: str, sep: str, header: bool | None) -> None:
    if format_ == "parquet":
        if without_parameters(database.types_of("exported")["value"]) not in IN_PARQUET:
            database.run(line("taxonomy/files/export._copy", "ALTER TABLE exported ALTER value TYPE VARCHAR"))
        database.run(statement("taxonomy/files/export_parquet.sql", columns={"fields": fields}), {"path": str(path)})
        return
    named = format_ != "arx" if header is None else header
    query = statement("taxonomy/files/export_rows.sql", columns={"fields": fields})
    database.run(query, {"path": str(path), "sep": sep, "header": named})


def _properties(database: Database, seed: str, column: str) -> str:
    """The properties file of a seed: the type of each column, and tests that a lookup table passes."""
    import yaml

    types = {name: kind for name, kind in database.types_of("exported").items() if name not in ORDER}
    value_tests = ["unique"] if LOWER_BOUND in types else ["not_null", "unique"]
    columns = [
        {"name": "value", "description": f"A value of the column {column}.", "data_tests": value_tests},
        *(
            {"name": name, "description": f"Its label at level {name[6:]}.", "data_tests": ["not_null"]}
            for name in types
            if name.startswith("level_")
        ),
    ]
    if LOWER_BOUND in types:
        columns.append({"name": LOWER_BOUND, "description": "Values from here up belong to the interval of level 1."})
    properties = {
        "version": 2,
        "seeds": [
            {
                "name": seed,
                "description": f"The taxonomy of the column {column}: what a value becomes at each level.",
                "config": {"column_types": {name: kind.lower() for name, kind in types.items()}},
                "columns": columns,
            }
        ],
    }
    return yaml.safe_dump(properties, sort_keys=False, allow_unicode=True, width=110)
