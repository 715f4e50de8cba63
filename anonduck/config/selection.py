"""The key `select` of anonduck.yml: the measure that a release is picked by, and how near to the best it has to be."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, GetJsonSchemaHandler, field_validator, model_serializer, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from anonduck.config.taxonomy import Strict, Unit, Words
from anonduck.rules.measure_names import BY_MODEL
from anonduck.rules.selection import ONE_ERROR, refuse_without_error

AUTO = "auto"
"""Selects candidates by how well models rank people, rules by accuracy."""
WORKLOAD = "workload"
"""Selects by the queries of the key `workload`, among candidates that score as well as the best but for an error."""


class Selection(Strict):
    """What `run` picks a rule or a candidate by; as a text, the measure alone."""

    measure: Annotated[Words, Unit("NAME")] = Field(description="measure used to pick the best rule")
    within: Annotated[float, Field(strict=True, ge=0, lt=1)] | Literal["1se"] | None = Field(
        None,
        description="how near to the best is good enough: pick the largest k, among candidates the most detail, whose "
        "measure is within so much of the best, or within one standard error; default: the best itself, among "
        "candidates 0.01",
    )

    @model_validator(mode="before")
    @classmethod
    def _text_or_mapping(cls, given: Any) -> Any:
        if isinstance(given, str):
            return {"measure": given}
        if isinstance(given, (dict, cls)):
            return given
        raise ValueError("it should be a measure, such as `accuracy`, or `{measure: accuracy, within: 0.01}`")

    @field_validator("within", mode="before")
    @classmethod
    def _number_or_error(cls, given: Any) -> Any:
        number = isinstance(given, (int, float)) and not isinstance(given, bool)
        if given in (None, ONE_ERROR) or (number and 0 <= given < 1):
            return given
        raise ValueError(f"it should be {ONE_ERROR!r}, or a number from 0 to under 1, such as 0.01; it is {given!r}")

    @model_validator(mode="after")
    def _has_an_error(self) -> Selection:
        measure = self.measure.partition(".")[0]
        if self.within == ONE_ERROR and measure not in (*BY_MODEL, AUTO):
            refuse_without_error(self.measure, self.within)
        return self

    @model_serializer
    def _as_written(self) -> str | dict[str, str | float]:
        return self.measure if self.within is None else {"measure": self.measure, "within": self.within}

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {"anyOf": [{"type": "string"}, handler(schema)]}
