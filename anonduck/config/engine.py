"""Which engine holds the source, and how much of what it counts may come here."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from anonduck.config.addresses import LOCAL, has_password
from anonduck.config.taxonomy import Strict, Unit, Words


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
