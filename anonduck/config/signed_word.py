"""What a person vouches for in a config: a name and a day, as `NAME, DATE` or as a mapping."""

from __future__ import annotations

import re
from datetime import date
from typing import Any

from pydantic import Field, GetJsonSchemaHandler, field_validator, model_serializer, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from anonduck.config.taxonomy import Strict, Words

EXAMPLE = "such as `Jane Doe, 2027-03-01`"


def day_of(text: str) -> str:
    """A day as ISO 8601 writes it; raises ValueError for what is none.

    >>> day_of("2027-03-01")
    '2027-03-01'
    """
    if re.fullmatch(r"\d{4}-\d{2}-\d{2}", text) is None:
        raise ValueError(f"write a day as 2027-03-01; it is {text[:40]!r}")
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise ValueError(f"there is no day {text}") from None


class SignedWord(Strict):
    """A name and a day; as a text, both parted by a comma."""

    name: Words = Field(description="who vouches for it")
    date: Words = Field(description="the day on which they did, such as 2027-03-01")

    @model_validator(mode="before")
    @classmethod
    def _text_or_mapping(cls, given: Any) -> Any:
        if isinstance(given, str):
            name, comma, day = given.rpartition(",")
            if not (comma and name.strip() and day.strip()):
                raise ValueError(f"write a name, a comma and a day, {EXAMPLE}")
            return {"name": name.strip(), "date": day.strip()}
        if isinstance(given, (dict, cls)):
            return given
        raise ValueError(f"write a name, a comma and a day, {EXAMPLE}")

    @field_validator("date")
    @classmethod
    def _is_a_day(cls, day: str) -> str:
        return day_of(day)

    @model_serializer
    def _as_text(self) -> str:
        return self.text

    @property
    def text(self) -> str:
        """As a config has it.

        >>> SignedWord.model_validate("Jane Doe, DPO, 2027-03-01").name
        'Jane Doe, DPO'
        """
        return f"{self.name}, {self.date}"

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {"anyOf": [{"type": "string"}, handler(schema)]}
