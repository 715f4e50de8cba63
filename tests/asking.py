"""Statements that a test asks of a database, and names in quotes."""

from anonduck.statements import Statement


def ask(database, sql):
    """The rows of a statement of the test's own."""
    return database.rows(Statement("test", sql))


def quoted(name):
    """A name as SQL takes any name."""
    return '"' + name.replace('"', '""') + '"'
