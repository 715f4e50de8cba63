"""The only room that knows sqlglot: query files with their binding, and queries whose shape depends on the columns."""

from anonduck.statements.expansion import BindingError
from anonduck.statements.template import (
    Statement,
    Template,
    line,
    load,
    parse_template,
    statement,
    together,
    translated,
)

__all__ = [
    "BindingError",
    "Statement",
    "Template",
    "line",
    "load",
    "parse_template",
    "statement",
    "together",
    "translated",
]
