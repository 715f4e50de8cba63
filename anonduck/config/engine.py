"""Which engine holds the source, and how much of what it counts may come here."""

from __future__ import annotations

from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import Field, field_validator, model_validator

from anonduck.config.taxonomy import Strict, Unit, Words

LOCAL = "duckdb"
TABLE = "table:"
"""What the name of a table of an engine begins with, as a source."""


def is_of_engine(source: str) -> bool:
    """Whether a source is named as only an engine has it: no path of this machine.

    >>> is_of_engine("table:sales.people"), is_of_engine("s3a://exports/people"), is_of_engine("exports/people")
    (True, True, False)
    """
    return source.startswith(TABLE) or "://" in source


def has_password(address: str) -> bool:
    """Whether an address names somebody with a password, as ``user:secret@host`` does.

    >>> has_password("spark://host:7077"), has_password("s3a://key:secret@bucket/exports")
    (False, True)
    """
    user, at, _ = urlsplit(address).netloc.rpartition("@")
    return bool(at) and ":" in user


class EngineOptions(Strict):
    """The engine that the source is in; credentials and addresses of servers come from its own environment."""

    kind: Annotated[Literal["duckdb", "spark", "postgres", "bigquery", "snowflake"], Unit("KIND")] = Field(
        "duckdb",
        description="what reads the source: `duckdb`, here, or, where the source is, `spark`, `postgres`, and without "
        "having been tested there `bigquery` or `snowflake`",
    )
    master: Words | None = Field(
        None, description="master of Spark, such as local[2] or spark://host:7077; default: SPARK_MASTER, else local[*]"
    )
    max_cells: Annotated[int, Field(strict=True, ge=1)] | None = Field(
        None,
        description="distinct combinations of values that a search holds; of a source with more, it starts at a floor, "
        "a finest level for each column; default: 1,000,000, fewer of more than 20 columns",
    )

    @field_validator("master")
    @classmethod
    def _names_no_password(cls, master: str | None) -> str | None:
        if master is not None and (has_password(master) or "token=" in master.lower()):
            raise ValueError("it holds a password; leave credentials to the environment of Spark")
        return master

    @model_validator(mode="after")
    def _is_of_spark(self) -> EngineOptions:
        if self.master is not None and self.kind != "spark":
            raise ValueError(f"a master is Spark's, and the kind is {self.kind!r}; write `kind: spark`")
        return self

    @property
    def elsewhere(self) -> bool:
        """Whether the source stays in an engine that is not DuckDB here."""
        return self.kind != LOCAL
