"""The key `entity` of anonduck.yml: the column that identifies persons, who may have several records."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, GetJsonSchemaHandler, model_serializer, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from anonduck.config.taxonomy import ColumnName, Strict

MOST_BOUND = 100_000  # DuckDB keeps so many least hashes of each person at most
WRITTEN = "`entity: customer_id` or `entity: {column: customer_id, at_most: 5}`"


class Entity(Strict):
    """The column that identifies persons, so that k counts persons; written as a text, the column alone."""

    column: ColumnName = Field(description="column that identifies persons; it is in no release")
    at_most: Annotated[int, Field(strict=True, ge=1, le=MOST_BOUND)] | None = Field(
        None,
        description="records of each person to use: of those who have more, so many are chosen by a hash of their "
        "values; default: all",
    )

    @model_validator(mode="before")
    @classmethod
    def _text_or_mapping(cls, given: Any) -> Any:
        if isinstance(given, str):
            return {"column": given}
        if isinstance(given, (dict, cls)):
            return given
        if isinstance(given, (list, tuple)):
            raise ValueError(
                "one column tells persons apart; where it takes several, make one of them in the source, such as a "
                "view with a column for both"
            )
        raise ValueError(f"it should be a column, such as {WRITTEN}")

    @model_serializer
    def _as_written(self) -> str | dict[str, str | int]:
        return self.column if self.at_most is None else {"column": self.column, "at_most": self.at_most}

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {"anyOf": [{"type": "string", "minLength": 1}, handler(schema)]}
