"""The only room that knows sqlglot: query files with their binding, and queries whose shape depends on the columns."""

from anonduck.statements.template import BindingError, Statement, Template, load, parse_template, statement, together

__all__ = ["BindingError", "Statement", "Template", "load", "parse_template", "statement", "together"]
