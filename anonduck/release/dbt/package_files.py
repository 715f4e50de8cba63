"""The dbt package as files: where it was installed, and a copy of it."""

from __future__ import annotations

import shutil
from pathlib import Path

from anonduck.errors import ConfigError


def package_folder() -> Path:
    """The folder of the dbt package, for ``local:`` in ``packages.yml``."""
    return Path(__file__).parent / "package"


def copy_package(folder: Path) -> Path:
    """Copy the dbt package into a folder that does not exist or is empty; raises ConfigError for any other."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ConfigError(f"{folder} is there already and is not empty; name another folder")
    try:
        shutil.copytree(package_folder(), folder, dirs_exist_ok=True)
    except OSError as error:
        raise ConfigError(f"the dbt package cannot be copied to {folder}: {error.strerror}") from None
    return folder
