"""The key `select` of anonduck.yml: the measure that a rule is picked by, and how near to the best it has to be."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, GetJsonSchemaHandler, model_serializer, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from anonduck.config.taxonomy import Strict, Unit, Words
from anonduck.rules.selection import refuse_without_error

AUTO = "auto"
"""Selects by accuracy; candidates by how well people are ranked where one value of the class is that frequent."""
WORKLOAD = "workload"
"""Selects by the queries of the key `workload`, among candidates that score as well as the best but for an error."""


class Selection(Strict):
    """What `run` picks a rule by; as a text, the measure alone."""

    measure: Annotated[Words, Unit("NAME")] = Field(description="measure used to pick the best rule")
    within: Literal["1se"] | None = Field(
        None,
        description="pick the largest k whose measure is within one standard error of the best; default: the best "
        "itself",
    )

    @model_validator(mode="before")
    @classmethod
    def _text_or_mapping(cls, given: Any) -> Any:
        if isinstance(given, str):
            return {"measure": given}
        if isinstance(given, (dict, cls)):
            return given
        raise ValueError("it should be a measure, such as `accuracy`, or `{measure: accuracy, within: 1se}`")

    @model_validator(mode="after")
    def _has_an_error(self) -> Selection:
        refuse_without_error(self.measure, self.within)
        return self

    @model_serializer
    def _as_written(self) -> str | dict[str, str]:
        return self.measure if self.within is None else {"measure": self.measure, "within": self.within}

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {"anyOf": [{"type": "string"}, handler(schema)]}
