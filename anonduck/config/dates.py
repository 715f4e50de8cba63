"""The options of `dates`: how the dates of a column are written, and the latest year that they can have."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import Field, field_validator, model_validator

from anonduck.config.taxonomy import Strict, Words

_YEAR = re.compile(r"%-?[yYGc]")


class DateOptions(Strict):
    """How the dates of one column are read."""

    format: Words | None = Field(
        None, description="how texts are written that are dates, by the letters of strptime, such as %d.%m.%y"
    )
    latest: Annotated[int, Field(strict=True, ge=1, le=9999)] | None = Field(
        None, description="latest year that a date can have: a later one is a hundred years earlier"
    )

    @field_validator("format")
    @classmethod
    def _names_a_year(cls, format_: str | None) -> str | None:
        if format_ is not None and not _YEAR.search(format_):
            raise ValueError(f"write a format with a year, such as %d.%m.%y; it is {format_[:40]!r}")
        return format_

    @model_validator(mode="after")
    def _says_something(self) -> DateOptions:
        if self.format is None and self.latest is None:
            raise ValueError("give a `format`, a `latest` year, or both, such as {format: %d.%m.%y, latest: 2026}")
        return self
