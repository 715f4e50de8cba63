"""Query files with what is bound into them, and the SQL of other engines; the only room that knows sqlglot."""

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
