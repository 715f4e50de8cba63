"""The text of a config file, or of another file beside it."""

from __future__ import annotations

from pathlib import Path

from anonduck.errors import ConfigError

ARGUMENTS = "the arguments"
"""What messages call the keys of a config that a call in Python gives."""
WRITES_CONFIG = "anonduck init SOURCE --class COLUMN"


def read_text(path: Path, what: str, call: str, name: str) -> str:
    """Read a file.

    Args:
        path: the file.
        what: what messages call it, such as ``config``.
        call: the call that writes such a file.
        name: its usual name in a folder.

    Raises ConfigError if the file cannot be read.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise ConfigError(f"there is no {what} {path}; write one with `{call}`") from None
    except IsADirectoryError:
        raise ConfigError(f"{path} is a directory; name the {what} file in it, such as {path / name}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"the {what} {path} is not UTF-8 text; save it as UTF-8") from None
    except OSError as error:
        raise ConfigError(f"the {what} {path} cannot be read: {error.strerror}") from None
