"""Labels for a larger k than the config's: made in a database of their own, so that the stored ones stay as they are.

No label names a value that fewer than k records hold, so that labels depend on k. Those in the decision database are
made for the config's k: its rules were measured by them, and every command shows them. What is required for once with a
larger k gets labels that are made for that k, from the same source by the same options; they are forgotten with it.
A recoding that is kept for other records keeps them as data (``anonduck.taxonomy.kept``), and is applied by these.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any

from anonduck.config.policy import policy_of
from anonduck.config.requirement_change import with_requirement
from anonduck.errors import ConfigError, RuleError
from anonduck.frequency.copies import in_memory
from anonduck.taxonomy.catalog import Taxonomy
from anonduck.taxonomy.kept import KeptTaxonomies, put_taxonomies
from anonduck.workspace import Workspace


@contextlib.contextmanager
def labels_for(workspace: Workspace, label_k: int, kept: KeptTaxonomies | None = None) -> Iterator[Workspace]:
    """The workspace itself if its labels are made for that k or a larger one, else the same with a database in memory.

    That holds the workspace's taxonomies, so that imported and edited ones stay as they are, and others are made anew
    when they are asked for with ``label_k``. Those that were ``kept`` take the place of the workspace's.
    """
    if kept is None and label_k <= workspace.with_export(None).config.requirement.k:
        yield workspace
        return
    with in_memory(workspace) as one:
        if kept is not None:
            put_taxonomies(one.database, kept)
        yield one


def label_k_of(required_k: int, config_k: int, kept: KeptTaxonomies | None) -> int:
    """The k that labels are made for: what is required, or the config's where that is larger, or that of kept ones.

    A lowered requirement keeps the labels that rules were measured by. Raises ConfigError where those that were kept
    are for less than is required.
    """
    label_k = max(required_k, config_k)
    if kept is None:
        return label_k
    if kept.label_k < label_k:
        raise ConfigError(
            f"the recoding was kept with groups for a k of {kept.label_k} records, and {label_k} are required now; "
            "find it anew: `anonduck run -o FILE --reselect`, or `anonduck lock ID` where it is locked"
        )
    return kept.label_k


@contextlib.contextmanager
def required_instead(workspace: Workspace, requirement: Mapping[str, Any]) -> Iterator[tuple[Workspace, int]]:
    """The workspace with single requirements of its config replaced, and the k that its labels are made for."""
    config = with_requirement(workspace.config, requirement)
    policy_of(config, workspace.folder, "the release")
    label_k = max(config.requirement.k, workspace.config.requirement.k)
    with labels_for(workspace, label_k) as one:
        yield one.with_config(config), label_k


def refuse_lost_levels(
    workspace: Workspace, levels: Mapping[str, int], taxonomies: Mapping[str, Taxonomy], label_k: int
) -> None:
    """Raise RuleError where a rule of the config's k names levels that taxonomies for a larger k do not have.

    A level that is the root there is lost too, if it leaves nothing to release.
    """
    if label_k <= workspace.config.requirement.k:
        return
    stored = workspace.taxonomies
    named = {name: (level, taxonomies[name].root) for name, level in levels.items() if name in taxonomies}
    nothing_left = not any(level < root for level, root in named.values())
    for name, (level, root) in named.items():
        held = name not in stored or level <= stored[name].root > root
        if held and (level > root or (level == root and nothing_left)):
            raise RuleError(
                f"the rule gives {name!r} level {level}; for k={label_k} its taxonomy has only levels 0 to {root} (the "
                f"root), as labels for a larger k than the config's {workspace.config.requirement.k} are coarser. Set "
                f"`requirement: {{k: {workspace.config.persons_in(label_k)}}}` in the config and run "
                "`anonduck discover` again, for rules at that k"
            )
