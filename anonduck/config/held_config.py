"""The config of a workspace: validated where its text is new, and else when something beside its essentials is asked.

The essentials of valid texts are kept in the user's folder of caches, by the text and by the code that validated it.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from functools import cache, cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from anonduck.config.essentials import Essentials
from anonduck.config.file_names import FILE_NAME
from anonduck.config.file_text import WRITES_CONFIG, read_text
from anonduck.statements.cache_files import cache_file, digest, digest_of_code, read_cache, write_cache
from anonduck.words import __version__

if TYPE_CHECKING:
    from anonduck.config.config import Config

FILE = "configs.json"
MOST = 50
"""So many texts are kept, those that were validated last."""


class HeldConfig:
    """A config, and its essentials: each made from the other, or from the text, at first use.

    Args:
        validate: returns the config.
        essentials: its essentials, where they are known already.
    """

    def __init__(self, validate: Callable[[], Config], essentials: Essentials | None = None) -> None:
        self._validate = validate
        self._known = essentials

    @classmethod
    def of(cls, config: Config) -> HeldConfig:
        """A config that was validated."""
        return cls(lambda: config)

    @classmethod
    def of_file(cls, path: Path) -> HeldConfig:
        """The config of a file; raises ConfigError with the key, what is allowed and what came.

        A text that is known to be valid is not validated again, unless a policy has to allow it.
        """
        text = read_text(path, "config", WRITES_CONFIG, FILE_NAME)
        place, name = cache_file(FILE), _name_of(text)
        known = None if place is None or name is None else read_cache(place).get(name)

        def validated() -> Config:
            from anonduck.config.reading import config_of

            return config_of(text, path)

        with contextlib.suppress(TypeError, KeyError):  # what somebody else wrote there
            if known is not None:
                return cls(validated, Essentials.from_json(known))
        held = cls.of(validated())
        if place is not None and name is not None and held.essentials.policy is None:
            _keep(place, name, held.essentials)
        return held

    @cached_property
    def config(self) -> Config:
        """The config, validated."""
        return self._validate()

    @cached_property
    def essentials(self) -> Essentials:
        """What lists ask of it."""
        return self._known or Essentials.of(self.config)


def _keep(place: Path, name: str, essentials: Essentials) -> None:
    """Keep the essentials of a valid text, in place of those that were kept long ago."""
    with contextlib.suppress(OSError):
        kept = list((read_cache(place) | {name: essentials.as_json()}).items())
        write_cache(place, dict(kept[-MOST:]))


def _name_of(text: str) -> str | None:
    """What a text is kept by; None if the code that validates it cannot be found."""
    version = _version()
    return None if version is None else digest(version, text.encode())


@cache
def _version() -> bytes | None:
    """What decides which texts are valid: the code of the package as it is installed, and the version of pydantic."""
    found = find_spec("pydantic")
    if found is None or found.origin is None:
        return None
    try:
        library = Path(found.origin).with_name("version.py").read_bytes()
        return digest(__version__.encode(), library, digest_of_code(_code())).encode()
    except OSError:
        return None


def _code(folder: str = str(Path(__file__).parent.parent)) -> Iterator[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        for one in entries:
            if one.is_dir():
                yield from _code(one.path)
            elif one.name.endswith(".py"):
                yield one
