"""What lists ask of a config, so that they need not validate it: its models take longer to load than a list takes."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from anonduck.config.ways import RANGES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from anonduck.config.config import Config


@dataclass(frozen=True)
class Essentials:
    """What a list needs to open the decision database, and to see whether what it holds is still of this config.

    Args:
        database: the decision database, as the config names it.
        threads: threads of DuckDB; None: all cores.
        memory_limit: memory of DuckDB; None: the default.
        timezone: the time zone of timestamps.
        source: the source, as the config names it.
        elsewhere: whether an engine holds the source.
        has_entity: whether k counts persons.
        policy: the file of the policy.
        workload: the file of the workload.
        taxonomy_files: the files of taxonomies.
        keys: a digest of all keys.
        offered_by: a digest of the keys that candidates are found and chosen by.
    """

    database: str
    threads: int | None
    memory_limit: str | None
    timezone: str
    source: str | None
    elsewhere: bool
    has_entity: bool
    policy: str | None
    workload: str | None
    taxonomy_files: tuple[str, ...]
    keys: str
    offered_by: str

    @classmethod
    def of(cls, config: Config) -> Essentials:
        """The essentials of a valid config."""
        keys = config.model_dump(mode="json", by_alias=True)
        offered_by = [
            [config.method_options, config.holdout, config.models, config.weighed_by, config.within_of_rules],
            [config.requirement.model_dump(mode="json"), list(config.subgroups), config.blocks],
            None if config.ways == (RANGES,) else config.shown_columns or list(config.ways),
        ]
        return cls(
            database=config.database,
            threads=config.threads,
            memory_limit=config.memory_limit,
            timezone=config.timezone,
            source=config.source,
            elsewhere=config.engine.elsewhere,
            has_entity=config.entity is not None,
            policy=config.policy,
            workload=config.workload,
            taxonomy_files=tuple(one.file for one in config.taxonomies.values() if one.file is not None),
            keys=_digest(keys),
            offered_by=_digest(offered_by),
        )

    def as_json(self) -> dict[str, Any]:
        """The essentials as JSON; they name files, and no column."""
        return asdict(self)

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Essentials:
        """Read what ``as_json`` wrote."""
        return cls(**{**document, "taxonomy_files": tuple(document["taxonomy_files"])})


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
