"""A command as a user types it."""

from anonduck.cli.app import run


def typed(capsys, *words):
    """The exit code of a command, and what it printed on stdout and stderr."""
    code = run(list(words))
    printed = capsys.readouterr()
    return code, printed.out, printed.err
