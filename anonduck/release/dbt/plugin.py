"""A plugin of dbt-duckdb: a source that is an anonymized release, and a model whose file is audited.

In ``profiles.yml``, with the config of a project::

    plugins:
      - {module: anonduck.release.dbt.plugin, alias: anonduck, config: {project: privacy/anonduck.yml}}
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dbt.adapters.duckdb.plugins import BasePlugin

from anonduck.auditing.audit import audit
from anonduck.errors import AuditError, ConfigError, RequirementNotMet
from anonduck.measures.requirement import sensitive_files
from anonduck.release.by_recoding import release_rule
from anonduck.release.lock import release_locked
from anonduck.release.target import target_of
from anonduck.workspace import Workspace

if TYPE_CHECKING:
    import pyarrow as pa
    from dbt.adapters.duckdb.utils import SourceConfig, TargetConfig

OWN = "anonduck"
OF_MODEL = ("k", "requirement", "quasi_identifiers", "sensitive", "insensitive", "class")


class Plugin(BasePlugin):  # type: ignore[misc] # dbt-duckdb may not be there, and has no types
    """Reads releases for dbt, and audits what dbt wrote; it finds ``Plugin`` by its name."""

    def initialize(self, plugin_config: dict[str, Any]) -> None:
        """Take the plugin's ``config`` of the profile; ``project`` names a config file or its folder."""
        self.project = plugin_config.get("project")

    def load(self, source_config: SourceConfig) -> pa.Table:
        """The release of the project's source: by ``rule`` of the source's meta, else by the lock file.

        ``project`` of the meta replaces that of the profile. It is written, audited and read like any release. Raises
        what ``Project.release`` and ``Project.run`` do, and the table that was there stays.
        """
        from pyarrow import parquet

        rule = source_config.get("rule")
        with self._workspace(source_config.get("project")) as workspace, tempfile.TemporaryDirectory() as folder:
            target = target_of(str(Path(folder) / "release.parquet"), Path(folder))
            with workspace.exclusive():
                if rule is None:
                    release_locked(workspace, target)
                else:
                    release_rule(workspace, rule, target)
            return parquet.read_table(target.path)

    def store(self, target_config: TargetConfig) -> None:
        """Audit the file that dbt wrote, and remove it where it misses what is required.

        ``meta.anonduck`` of the model names its ``quasi_identifiers``, ``sensitive``, ``insensitive``, ``class`` and
        ``requirement`` (or ``k``); what it does not name is as in the project's config. Raises RequirementNotMet.
        """
        if target_config.location is None:
            raise ConfigError("the plugin audits files; make the model external")
        path = Path(target_config.location.path)
        meta = (target_config.config.get("meta") or {}).get(OWN) or {}
        asked = self._asked(path.name, meta, [column.column for column in target_config.column_list])
        try:
            report = audit(path, **asked, allow_absent=True, measures="required")
        except AuditError:
            path.unlink(missing_ok=True)
            raise
        missed = [one for one in report.requirements if not one.met]
        if missed:
            path.unlink()
            words = ", ".join(f"{one.name} = {one.reached} (required: {one.required})" for one in missed)
            raise RequirementNotMet(f"{path.name} misses what is required of it: {words}; the file was removed")

    def _asked(self, name: str, meta: Mapping[str, Any], columns: Sequence[str]) -> dict[str, Any]:
        """What an audit is asked: by a model's meta, over the project's config."""
        unknown = [key for key in meta if key not in OF_MODEL]
        if unknown:
            raise ConfigError(f"meta.{OWN} of {name} has no {', '.join(unknown)}; it has {', '.join(OF_MODEL)}")
        asked = {**self._configured(columns), **{_named(key): value for key, value in meta.items() if key != "k"}}
        if "k" in meta:
            asked["requirements"] = {**asked.get("requirements", {}), "k": meta["k"]}
        if not asked.get("requirements"):
            raise ConfigError(f"nothing is required of {name}: say so in meta.{OWN}.k, or give the plugin a project")
        return asked

    def _configured(self, columns: Sequence[str]) -> dict[str, Any]:
        """The same by the project's config, of the columns that there are; nothing without a project."""
        if self.project is None:
            return {}
        with self._workspace(None) as workspace:
            config, files = workspace.config, sensitive_files(workspace.config, workspace.folder)
        class_ = config.class_ if config.class_ in columns else None
        sensitive = [name for name in config.sensitive if name in columns]
        return {
            "sensitive": sensitive,
            "insensitive": [name for name in config.insensitive if name in columns],
            "class_": class_,
            "requirements": config.requirement.asked,
            "taxonomies": {name: file for name, file in files.items() if name in sensitive},
            "sensitive_values": {name: one for name, one in config.named_values.items() if name in sensitive},
        }

    def _workspace(self, project: str | None) -> Workspace:
        named = project or self.project
        if named is None:
            raise ConfigError("name the config of a project: `project` in the plugin's config, or in the source's meta")
        return Workspace.of_file(Path(named))


def _named(key: str) -> str:
    """The argument of an audit that a key of the meta is."""
    return {"class": "class_", "requirement": "requirements"}.get(key, key)
