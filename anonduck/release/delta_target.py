"""A release that becomes the next version of a Delta table in a folder here; its documents stand beside the folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from anonduck.database.delta_writing import (
    SAMPLE,
    is_delta_table,
    own_file,
    refuse_unreplaceable,
    refuse_without_package,
)
from anonduck.database.lake_tables import is_lake_table, is_path
from anonduck.database.private_file import UNFINISHED
from anonduck.errors import ReleaseError, check_path
from anonduck.release.engine_target import engine_target, is_in_engine
from anonduck.release.target import ReleaseTarget, refuse_directories, refuse_in_lake, refuse_unwritable, target_of

PREFIX = "delta:"


@dataclass(frozen=True)
class DeltaTarget(ReleaseTarget):
    """A release's target as a Delta table; ``path`` is its folder."""

    @property
    def text(self) -> str:
        """The target as it is read."""
        return f"{PREFIX}{self.path}"

    @property
    def temporary(self) -> Path:
        """The file whose lock keeps others from the same table until the documents are in place."""
        return self.path.with_name(f".{self.path.name}{UNFINISHED}")

    @property
    def fresh(self) -> Path:
        """The file that the rows are written to, and audited in, before it goes into the folder."""
        return self.path.with_name(f".{self.path.name}{UNFINISHED}.parquet")

    @property
    def written(self) -> tuple[Path, ...]:
        """Every file that a release to this target writes; those of the folder by one of them."""
        return (*super().written, self.fresh, self.path / SAMPLE)

    @property
    def stands(self) -> bool:
        """Whether the table has a version."""
        return is_delta_table(self.path)

    @property
    def held(self) -> Path | None:
        """The file of the newest version."""
        return own_file(self.path)

    def refuse_standing(self, *, overwrite: bool) -> None:
        """Raise ReleaseError for a table that may not, or cannot, have a version that replaces its rows."""
        refuse_directories(self)
        refuse_unreplaceable(self.path, overwrite=overwrite)


def delta_target(text: str, folder: Path) -> DeltaTarget:
    """Read ``delta:FOLDER``; raises ReleaseError if no table can be there, or none be written."""
    name = text.removeprefix(PREFIX).rstrip("/")
    if not text.startswith(PREFIX) or not name or not is_path(name):
        raise ReleaseError(
            f"a release cannot go to {text}; write delta:FOLDER, the folder of a Delta table on this machine, or "
            "FILE.parquet, which a job of your catalog or bucket takes over"
        )
    check_path(name, ReleaseError)
    refuse_without_package(text)
    version = name.rpartition("@")[2]
    if "@" in name and version.isdigit():
        raise ReleaseError(f"a release makes the next version of a Delta table; leave out @{version}")
    path = folder / name
    target = DeltaTarget(path.resolve() if path.is_symlink() else path, "delta")
    refuse_unwritable(target)
    return target


def named_target(text: str | Path, folder: Path, documents: Path | None = None) -> ReleaseTarget:
    """The target that a text names, relative to a folder; raises ReleaseError if nothing can go there.

    With a folder for its documents, it may be a table or a folder that an engine writes.
    """
    if is_lake_table(str(text)):
        delta = delta_target(str(text), folder)
        refuse_in_lake(delta.path.parent)
        return delta
    if documents is not None and is_in_engine(text):
        in_engine = engine_target(text, folder, documents)
        refuse_in_lake(in_engine.place.path)
        return in_engine
    target = target_of(text, folder)
    refuse_in_lake(target.path)
    return target
