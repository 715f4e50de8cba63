"""Files that hold personal data: readable by their owner only, there whole or not at all."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from anonduck.errors import ConfigError


def write_private(path: Path, text: str, *, overwrite: bool) -> None:
    """Write a text file with mode 0600; raises ConfigError if it exists and may not be replaced, or cannot be
    written."""
    if path.is_dir():
        raise ConfigError(f"{path} is a directory; name a file in it")
    if path.exists() and not overwrite:
        raise ConfigError(f"{path} exists; `--overwrite` replaces it")
    temporary = path.with_name(f".{path.name}.anonduck-unfinished")
    try:
        with contextlib.suppress(FileNotFoundError):
            temporary.unlink()
        handle = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(temporary, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise ConfigError(f"{path} cannot be written: {error.strerror}; name another file") from None
